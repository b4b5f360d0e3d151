// What a hint says about how the game will end, in words.

import type { Hint } from '../api/types'
import type { Label } from '../board/scene'
import { said, t } from '../texts'

type Named = { label: Label }

/** A proved result and how far off it is; null where there is only an estimate. `seat` is to act. */
export function provedVerdict(hint: Pick<Hint, 'proved' | 'value' | 'distance'>, seats: Named[], seat: number): string | null {
  if (!hint.proved) return null
  return t('table.hintProved', { result: `${resultOf(hint.value, seats, seat)}${farOff(hint.distance)}` })
}

function resultOf(value: number, seats: Named[], seat: number): string {
  const name = (index: number) => said(seats[index]?.label ?? '')
  if (value === 0) return t('table.hintProved.draw')
  if (value > 0) return t('table.hintProved.wins', { seat: name(seat) })
  return seats.length === 2 ? t('table.hintProved.wins', { seat: name(1 - seat) }) : t('table.hintProved.loses', { seat: name(seat) })
}

function farOff(distance: number | null): string {
  if (distance === null) return ''
  return ` ${t(distance === 1 ? 'table.hintProved.inOne' : 'table.hintProved.in', { count: distance })}`
}
