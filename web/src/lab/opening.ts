// From the laboratory to a table of one's own.

import { api } from '../api/rest'
import type { Rules, SeatChoice } from '../api/types'
import { go } from '../router.svelte'
import { keepTokens } from '../seats'

const WATCHED_PACE_MS = 250

/** Opens a game against a level, or of that level with itself, and goes there. */
export async function openGame(game: string, rules: Rules, seats: number, level: string, isWatched = false): Promise<void> {
  const agent: SeatChoice = { kind: 'agent', level }
  const choices = Array.from({ length: seats }, (_, seat): SeatChoice => (seat === 0 && !isWatched ? { kind: 'human' } : agent))
  const pace = isWatched ? { pace_ms: WATCHED_PACE_MS } : {}
  const opened = await api.open({ game, rules, seats: choices, public: false, hotseat: false, ...pace })
  keepTokens(opened.id, opened.tokens)
  go(`/t/${opened.id}`)
}
