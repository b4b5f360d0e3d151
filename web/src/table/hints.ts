// What a level would play: thought out in this browser where it can be, else by the server.

import { api } from '../api/rest'
import type { Hint, Level } from '../api/types'
import type { Report } from '../engine/job'
import type { Standing } from './table.svelte'

const SHOWN_LINES = 3

/** `mayThinkHere`: nobody plays against other people with it, which else the server sees to. */
export async function hintFor(level: Level, now: Standing, ply: number, mayThinkHere: boolean, until: AbortSignal): Promise<Hint> {
  const found = mayThinkHere ? await hintHere(level, now, ply, until).catch(() => null) : null
  until.throwIfAborted()
  return found ?? api.hint(now.id, { level: level.id, ply }, until)
}

async function hintHere(level: Level, now: Standing, ply: number, until: AbortSignal): Promise<Hint | null> {
  const player = now.actions[ply]?.seat ?? now.player
  if (!level.search || player === null) return null
  const { Thinker } = await import('../engine/engine')
  const thinker = new Thinker()
  until.addEventListener('abort', () => thinker.stop())
  const { game, rules, start, actions } = now
  try {
    const place = { game, rules, start, actions: actions.slice(0, ply), player }
    return hintIn(await thinker.search(place, level.search), level.id)
  } finally {
    thinker.end()
  }
}

export function hintIn({ lines }: Report, level: string): Hint | null {
  const best = lines[0]
  if (!best) return null
  const { actions, value, proved, distance } = best
  const shown = lines.slice(0, SHOWN_LINES).map((line) => line.actions)
  return { level, action: actions[0]!, text: actions[0]!, value, proved, distance, evaluation: [], lines: shown }
}
