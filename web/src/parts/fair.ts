// Which seat a person takes who does not choose one.

import type { Game, TableSummary } from '../api/types'

/**
 * Never a seat that is proved to lose. Whoever lost the last game of this kind plays the next seat, so that colours
 * change; everyone else stays where they were.
 */
export function fairSeat(
  { name, seats, lost_seats }: Pick<Game, 'name' | 'seats' | 'lost_seats'>,
  played: { table: Pick<TableSummary, 'game' | 'result'>; seats: number[] }[],
): number {
  const fair = seats.map((_, seat) => seat).filter((seat) => !lost_seats.includes(seat))
  const last = played.find(({ table, seats: mine }) => table.game === name && table.result && mine.length === 1)
  const at = last ? fair.indexOf(last.seats[0]!) : -1
  if (at < 0) return fair[0] ?? 0
  const isLost = last!.table.result!.winner.length > 0 && !last!.table.result!.winner.includes(fair[at]!)
  return fair[(at + (isLost ? 1 : 0)) % fair.length]!
}
