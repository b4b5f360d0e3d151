// The address of an analysis: `#game=NAME&RULE=VALUE…&position=TEXT`, or `#table=ID&ply=N`.

import type { Game, Rules, RuleValue } from '../api/types'
import type { Setup } from './api'

export type Target = Setup | { table: string; ply: number | null }

export function setupIn(hash: string, games: Game[]): Target | null {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const table = given.get('table')
  if (table) return { table, ply: /^\d+$/.test(given.get('ply') ?? '') ? Number(given.get('ply')) : null }
  const game = games.find(({ name }) => name === given.get('game'))
  if (!game) return null
  const rules: Rules = {}
  for (const { name, kind } of game.parameters) {
    const text = given.get(name)
    if (text !== null) rules[name] = valueOf(text, kind)
  }
  return { game: game.name, rules, start: given.get('position') }
}

export function addressOf({ game, rules }: Setup, position: string): string {
  const values = Object.entries(rules).map(([name, value]) => [name, String(value)])
  return `/analysis#${new URLSearchParams([['game', game], ...values, ['position', position]])}`
}

function valueOf(text: string, kind: string): RuleValue {
  if (kind === 'bool') return text === 'true'
  return kind === 'int' ? Number(text) : text
}
