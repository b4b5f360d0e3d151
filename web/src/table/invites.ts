// Invitations to the free seats of tables opened in this browser: whoever invites can do so again later.

import { readJson, writeJson } from '../preferences.svelte'

const KEY = 'spielwerk.invites'
const KEPT_TABLES = 50

type Invites = Record<string, string>

export function keepInvites(table: string, invites: Invites): void {
  if (Object.keys(invites).length === 0) return
  const { [table]: _, ...others } = all()
  writeJson(KEY, Object.fromEntries([...Object.entries(others), [table, invites] as const].slice(-KEPT_TABLES)))
}

export function invitesOf(table: string): Invites {
  return all()[table] ?? {}
}

function all(): Record<string, Invites> {
  return readJson<Record<string, Invites>>(KEY) ?? {}
}

/** The fragment is never sent to a server, so invitations do not end up in logs. */
export function inviteLink(origin: string, table: string, invite: string): string {
  return `${origin}/t/${table}#invite=${encodeURIComponent(invite)}`
}

export function inviteIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('invite')
}

/**
 * Where others find this page: here, or where the server says that others reach it. Null where it listens to this
 * machine only.
 */
export function originForOthers(here: string, addresses: string[]): string | null {
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(here).hostname)) return here
  return addresses[0]?.replace(/\/$/, '') ?? null
}
