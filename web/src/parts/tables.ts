// Tables in lists: what they are called, who plays, since when.

import type { Game, SeatChoice, Seat, TableSummary } from '../api/types'
import { preferences } from '../preferences.svelte'
import { said, t } from '../texts'

export function titleOf(table: Pick<TableSummary, 'game'>, games: Game[]): string {
  const game = games.find((one) => one.name === table.game)
  return game ? `${said(game.family)}: ${said(game.title)}` : table.game
}

export function playersOf({ seats }: TableSummary, mine: number[] = []): string {
  const who = (seat: Seat, index: number) => {
    if (mine.includes(index)) return t('seat.you')
    if (seat.kind === 'agent') return seat.level_title ? said(seat.level_title) : t('seat.agent')
    return seat.kind === 'open' ? t('seat.free') : seat.name || t('seat.guest')
  }
  return seats.map((seat, index) => `${said(seat.label)}: ${who(seat, index)}`).join(' – ')
}

export function whenOf({ created }: TableSummary): string {
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const
  const tag = navigator.languages.find((one) => one.startsWith(preferences.language)) ?? preferences.language
  return new Intl.DateTimeFormat(tag, style).format(new Date(created))
}

export function stepsOf({ ply }: TableSummary): string {
  return ply === 0 ? '' : t(ply === 1 ? 'lobby.ply' : 'lobby.plies', { count: ply })
}

/** The seats of another game of the same people: everyone moves on by one. Null where others must agree to it. */
export function rematchSeats({ seats }: TableSummary, mine: number[], name: string): SeatChoice[] | null {
  if (seats.some((seat, index) => seat.kind !== 'agent' && !mine.includes(index))) return null
  const choices = seats.map((seat): SeatChoice => {
    if (seat.kind === 'agent') return { kind: 'agent', level: seat.level ?? '' }
    return name ? { kind: 'human', name } : { kind: 'human' }
  })
  return [...choices.slice(-1), ...choices.slice(0, -1)]
}
