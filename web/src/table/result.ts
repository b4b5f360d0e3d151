// What a result means for the person before the page.

import type { Result } from '../api/types'
import { t } from '../texts'

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
