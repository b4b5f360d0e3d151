// Values of positions and moves, as people read them.

import type { Label } from '../board/scene'
import { provedVerdict } from '../table/verdict'
import { preferences } from '../preferences.svelte'
import { signed } from '../texts'
import type { Line } from './api'

/** Large numbers in short: 3.4M, 3,4 Mio. */
export function short(count: number): string {
  return new Intl.NumberFormat(preferences.language, { notation: 'compact', maximumFractionDigits: 1 }).format(count)
}

/** What a line is worth: a proved result in words, or the value. */
export function worth(line: Line, seats: Label[], player: number): string {
  return provedVerdict(line, seats.map((label) => ({ label })), player) ?? signed(line.value)
}
