// What the laboratory asks the server.

import type { components } from '../api/schema'
import { get, post } from '../api/rest'
import type { Rules } from '../api/types'
import type { GameRecord } from '../table/records'

type Schemas = components['schemas']

export type Position = Schemas['PositionView']
export type Edit = Schemas['EditView']
export type Tool = Schemas['ToolView']
export type Thought = Schemas['Thought']
export type Line = Schemas['LineView']
export type Slot = Thought['slot']
export type Reviewed = Schemas['Reviewed']
export type PuzzleItem = Schemas['PuzzleItem']
export type Puzzle = Schemas['PuzzleView']
export type PlyReview = Reviewed['plies'][number]

export interface Setup {
  game: string
  rules: Rules
  /** The text of the first position, where it is not the ruleset's only one. */
  start: string | null
}

export const lab = {
  position: (setup: Setup, actions: string[], known?: string) =>
    post<Position>('/api/positions', { ...given(setup), actions, ...(known ? { static: known } : {}) }),
  edit: (game: string, rules: Rules, change: { text?: string; tool?: string; place?: string }) =>
    post<Edit>('/api/positions/edit', { game, rules, ...change }),
  puzzles: () => get<PuzzleItem[]>('/api/puzzles'),
  puzzle: (id: string) => get<Puzzle>(`/api/puzzles/${encodeURIComponent(id)}`),
  checkRecord: (record: unknown) => post<GameRecord>('/api/records/check', record),
}

function given({ game, rules, start }: Setup) {
  return { game, rules, ...(start === null ? {} : { start }) }
}
