// The address of an analysis: `#game=NAME&RULE=VALUE…&position=TEXT&computer=SEATS`, `#table=ID&ply=N`, or `#arena=ID`.

import type { Game, Rules, RuleValue } from '../api/types'
import type { Setup } from './api'

export type Target = (Setup & { computer: number[] }) | { table: string; ply: number | null } | { arena: string }

export function setupIn(hash: string, games: Game[]): Target | null {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const table = given.get('table')
  if (table) return { table, ply: /^\d+$/.test(given.get('ply') ?? '') ? Number(given.get('ply')) : null }
  const played = given.get('arena')
  if (played) return { arena: played }
  const game = games.find(({ name }) => name === given.get('game'))
  if (!game) return null
  const rules: Rules = {}
  for (const { name, kind } of game.parameters) {
    const text = given.get(name)
    if (text !== null) rules[name] = valueOf(text, kind)
  }
  const computer = (given.get('computer')?.match(/\d+/g) ?? []).map(Number).filter((seat) => seat in game.seats)
  return { game: game.name, rules, start: given.get('position'), computer }
}

/** `computer`: the seats that the computer plays. */
export function addressOf({ game, rules }: Setup, position: string | null, computer: number[] = []): string {
  const values = Object.entries({ game, ...rules }).map(([name, value]) => [name, String(value)])
  const place = position === null ? [] : [['position', position]]
  const seats = computer.length ? [['computer', computer.join()]] : []
  return `/analysis#${new URLSearchParams([...values, ...place, ...seats])}`
}

function valueOf(text: string, kind: string): RuleValue {
  if (kind === 'bool') return text === 'true'
  return kind === 'int' ? Number(text) : text
}
