// The tokens of the seats this browser holds, by table. Whoever has a token acts for its seat.

import { readJson, writeJson } from './preferences.svelte'

const KEY = 'spielwerk.tokens'
const OWNERS = 'spielwerk.owners'
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

/** The token that deletes a table, where this browser opened it. */
export function ownerOf(table: string): string | null {
  return owners()[table] ?? null
}

export function keepOwner(table: string, owner: string): void {
  const { [table]: _, ...others } = owners()
  writeJson(OWNERS, Object.fromEntries([...Object.entries(others), [table, owner] as const].slice(-KEPT_TABLES)))
}

/** After a table was deleted. */
export function forgetTable(table: string): void {
  const [{ [table]: _, ...seats }, { [table]: __, ...owned }] = [all(), owners()]
  writeJson(KEY, seats)
  writeJson(OWNERS, owned)
}

function owners(): Tokens {
  return readJson<Tokens>(OWNERS) ?? {}
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
