// How seats are called.

import type { Seat } from '../api/types'
import { said } from '../texts'

/** The person's or agent's name, else the seat's own name in the game. */
export function nameOfSeat(seats: Seat[], index: number): string {
  const seat = seats[index]
  if (!seat) return ''
  return seat.name || said(seat.label)
}
