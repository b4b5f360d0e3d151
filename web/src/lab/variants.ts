// Variants of rules in the order and the choice that somebody wants to see.

import type { Label } from '../board/scene'
import type { Variant } from './api'

export const ORDERS = ['fair', 'uneven', 'rules', 'games'] as const
export type Order = (typeof ORDERS)[number]

export interface Wish {
  order: Order
  /** A parameter that must differ; any, if empty. */
  parameter: string
  /** The key of the side that must be favoured, `nobody`, or anybody, if empty. */
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

/** Sides by their names: among fewer players others have their numbers. */
export function sideKey(side: Label | undefined): string {
  return typeof side === 'string' ? side : (side?.en ?? '')
}

function favouredIn({ favoured, sides }: Variant): string {
  return favoured === null ? 'nobody' : sideKey(sides[favoured])
}

/** Every side that some variant has, once. */
export function sidesOf(variants: Variant[]): Label[] {
  return [...new Map(variants.flatMap(({ sides }) => sides).map((side) => [sideKey(side), side])).values()]
}

export function wished(variants: Variant[], wish: Wish): Variant[] {
  const suits = (one: Variant) =>
    (!wish.parameter || one.changes.some(({ name }) => name === wish.parameter)) &&
    (!wish.favoured || favouredIn(one) === wish.favoured) &&
    !(wish.onlyFull && one.screened)
  return variants.filter(suits).sort(COMPARING[wish.order])
}

/** Every parameter that some variant changes, once. */
export function parametersOf(variants: Variant[]): Variant['changes'] {
  return [...new Map(variants.flatMap(({ changes }) => changes).map((change) => [change.name, change])).values()]
}
