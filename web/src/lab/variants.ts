// Variants of rules in the order and the choice that somebody wants to see.

import type { Variant } from './api'

export const ORDERS = ['fair', 'uneven', 'rules', 'games'] as const
export type Order = (typeof ORDERS)[number]

export interface Wish {
  order: Order
  /** A parameter that must differ; any, if empty. */
  parameter: string
  /** The number of the side that must be favoured, `nobody`, or anybody, if empty. */
  favoured: string
  onlyFull: boolean
}

const COMPARING: Record<Order, (one: Variant, other: Variant) => number> = {
  fair: (one, other) => one.advantage - other.advantage,
  uneven: (one, other) => other.advantage - one.advantage,
  rules: (one, other) => keyOf(one).localeCompare(keyOf(other), 'en', { numeric: true }),
  games: (one, other) => other.games - one.games,
}

/** What differs, as a text that no other variant of a report has. */
export function keyOf({ changes, rules }: Variant): string {
  return changes.map(({ name }) => `${name}=${String(rules[name])}`).join(' ')
}

export function wished(variants: Variant[], wish: Wish): Variant[] {
  const suits = (one: Variant) =>
    (!wish.parameter || one.changes.some(({ name }) => name === wish.parameter)) &&
    (!wish.favoured || String(one.favoured ?? 'nobody') === wish.favoured) &&
    !(wish.onlyFull && one.screened)
  return variants.filter(suits).sort(COMPARING[wish.order])
}

/** Every parameter that some variant changes, once. */
export function parametersOf(variants: Variant[]): Variant['changes'] {
  return [...new Map(variants.flatMap(({ changes }) => changes).map((change) => [change.name, change])).values()]
}
