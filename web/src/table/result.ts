// What a result means for the person before the page.

import type { Match, Result, Seat } from '../api/types'
import { said, t } from '../texts'

/** 'You win' and its like; null where that depends on the seat, or the person has none. */
export function verdictFor({ winner }: Pick<Result, 'winner'>, you: number[]): string | null {
  if (you.length === 0) return null
  if (winner.length === 0) return t('table.youDraw')
  if (you.every((seat) => winner.includes(seat))) return t('table.youWin')
  return you.some((seat) => winner.includes(seat)) ? null : t('table.youLose')
}

/** The points of two, where there are any: '2 : 0', the winner's first. */
export function scoreOf({ points, winner }: Pick<Result, 'points' | 'winner'>): string {
  if (points.length !== 2 || points.every((number) => number === 0)) return ''
  return (winner[0] === 1 ? [...points].reverse() : points).join(' : ')
}

/** How a match stands, or how it ended. */
export function matchText({ round, rounds, points, over, winner }: Match, seats: Seat[]): string {
  const score = points.join(' : ')
  if (!over) return t('match.after', { round, rounds, score })
  const [won] = winner
  if (won === undefined) return t('match.drawn', { score })
  return t('match.won', { name: seats[won]?.name || said(seats[won]?.label ?? ''), score })
}
