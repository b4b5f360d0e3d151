// What the laboratory asks the server.

import type { components } from '../api/schema'
import { get, post, Refusal } from '../api/rest'
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
export type Training = Schemas['TrainingView']
export type Run = Schemas['RunItem']
export type Curve = Schemas['CurveView']
export type Arena = Schemas['ArenaView']
export type Tournament = Schemas['TournamentView']
export type ArenaPlayer = Schemas['ArenaPlayer']
export type ArenaCell = Schemas['ArenaCell']
export type ArenaLimits = Schemas['ArenaLimits']
export type StartedTournament = Schemas['StartedTournament']
export type Contestant = Schemas['ContestantView']
export type ArenaGame = Schemas['ArenaGame']
export type StudyItem = Schemas['StudyItem']
export type Study = Schemas['StudyView']
export type Variant = Schemas['VariantView']
export type PlyReview = Reviewed['plies'][number]

export interface Setup {
  game: string
  rules: Rules
  /** The text of the first position, where it is not the ruleset's only one. */
  start: string | null
}

export const lab = {
  position: (setup: Setup, actions: string[], known?: string) =>
    post<Position>('/api/positions', { ...given(setup), actions, ...(known ? { static: known } : {}) }).catch((error: unknown) =>
      drawnHere(error, setup, actions, known),
    ),
  edit: (game: string, rules: Rules, change: { text?: string; tool?: string; place?: string }) =>
    post<Edit>('/api/positions/edit', { game, rules, ...change }),
  puzzles: () => get<PuzzleItem[]>('/api/puzzles'),
  puzzle: (id: string) => get<Puzzle>(`/api/puzzles/${encodeURIComponent(id)}`),
  training: () => get<Training>('/api/training'),
  curves: (id: string) => get<Schemas['RunCurves']>(`/api/training/${encodeURIComponent(id)}`),
  arena: () => get<Arena>('/api/arena'),
  arenaGames: (id: string, player: string, opponent: string) =>
    get<ArenaGame[]>(`/api/arena/${encodeURIComponent(id)}/games?${new URLSearchParams({ player, opponent })}`),
  arenaRecord: (id: string) => get<GameRecord>(`/api/arena/games/${encodeURIComponent(id)}`),
  contestants: (game: string) => get<Contestant[]>(`/api/arena/levels?${new URLSearchParams({ game })}`),
  startTournament: (game: string, levels: string[], games: number) =>
    post<StartedTournament>('/api/arena/tournaments', { game, levels, games }),
  balance: () => get<Schemas['BalanceView']>('/api/balance'),
  study: (id: string) => get<Study>(`/api/balance/${encodeURIComponent(id)}`),
  checkRecord: (record: unknown) => post<GameRecord>('/api/records/check', record),
}

/** Without a server this browser draws, where it can. */
async function drawnHere(error: unknown, setup: Setup, actions: string[], known?: string): Promise<Position> {
  if (!(error instanceof Refusal) || error.code !== 'offline') throw error
  const { positionHere } = await import('../offline/place')
  return positionHere(setup, actions, known ?? null).catch((failure: unknown) => {
    throw failure instanceof Refusal ? failure : error
  })
}

function given({ game, rules, start }: Setup) {
  return { game, rules, ...(start === null ? {} : { start }) }
}
