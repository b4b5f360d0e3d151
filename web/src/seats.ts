// The tokens of the seats this browser holds, by table. Whoever has a token acts for its seat.

import { readJson, writeJson } from './preferences.svelte'

const KEY = 'spielwerk.tokens'
const KEPT_TABLES = 200

type Tokens = Record<string, string>

export function tokensOf(table: string): Tokens {
  return all()[table] ?? {}
}

export function keepTokens(table: string, tokens: Tokens): void {
  const { [table]: before, ...others } = all()
  const entries = [...Object.entries(others), [table, { ...before, ...tokens }] as const]
  writeJson(KEY, Object.fromEntries(entries.slice(-KEPT_TABLES)))
}

/** The tables at which this browser has seats, newest first, and which seats those are. */
export function myTables(): { id: string; seats: number[] }[] {
  return Object.entries(all())
    .map(([id, tokens]) => ({ id, seats: Object.keys(tokens).map(Number) }))
    .reverse()
}

function all(): Record<string, Tokens> {
  return readJson<Record<string, Tokens>>(KEY) ?? {}
}
