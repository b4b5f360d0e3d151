import type { Route } from './router.svelte'

export const routes: Route[] = [
  { pattern: '/', load: () => import('./pages/Home.svelte') },
  { pattern: '/new', load: () => import('./pages/New.svelte') },
  { pattern: '/learn/{family}', load: () => import('./pages/Learn.svelte') },
  { pattern: '/watch', load: () => import('./pages/Watch.svelte') },
  { pattern: '/games', load: () => import('./pages/Games.svelte') },
  { pattern: '/lobby', load: () => import('./pages/Lobby.svelte') },
  { pattern: '/t/{id}', load: () => import('./pages/Table.svelte') },
  { pattern: '/t/{id}/{ply}', load: () => import('./pages/Table.svelte') },
  { pattern: '/rules', load: () => import('./pages/RuleIndex.svelte') },
  { pattern: '/rules/{game}/{ruleset}', load: () => import('./pages/Rules.svelte') },
  { pattern: '/review/{id}', load: () => import('./pages/Review.svelte') },
  { pattern: '/puzzles', load: () => import('./pages/Puzzles.svelte') },
  { pattern: '/analysis', load: () => import('./pages/Analysis.svelte') },
  { pattern: '/training', load: () => import('./pages/Training.svelte') },
  { pattern: '/arena', load: () => import('./pages/Arena.svelte') },
  { pattern: '/balance', load: () => import('./pages/Balance.svelte') },
  { pattern: '/about', load: () => import('./pages/About.svelte') },
] as Route[]
