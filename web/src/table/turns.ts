// The list of moves: actions grouped into turns, turns into rows.

import type { Action } from '../api/types'
import type { Label } from '../board/scene'

export interface Step {
  text: string
  /** What it did, where the game has words for that. */
  words: Label | null
  /** How many actions were played once this one was. */
  ply: number
  isDice: boolean
}
export interface Turn {
  number: number
  seat: number | null
  steps: Step[]
}

export function groupTurns(actions: Action[]): Turn[] {
  const turns: Turn[] = []
  actions.forEach(({ text, seat, turn, words }, index) => {
    let current = turns.at(-1)
    if (current?.number !== turn) turns.push((current = { number: turn, seat: null, steps: [] }))
    current.seat ??= seat
    current.steps.push({ text, words, ply: index + 1, isDice: seat === null })
  })
  return turns
}

/** A row goes once round the table: it ends where the order of seats begins again. */
export function groupRows(turns: Turn[]): Turn[][] {
  const rows: Turn[][] = []
  for (const turn of turns) {
    const row = rows.at(-1)
    const last = row?.at(-1)
    if (row && last && (turn.seat ?? 0) > (last.seat ?? 0)) row.push(turn)
    else rows.push([turn])
  }
  return rows
}

/** The number of the row in which this action is, as the list of moves counts; 0 before the first. */
export function rowOf(rows: Turn[][], ply: number): number {
  return rows.findIndex((row) => row.some(({ steps }) => steps.some((step) => step.ply === ply))) + 1
}

/** The steps of the turn that is being made and not yet complete. */
export function stepsOfOpenTurn(actions: Action[], player: number | null): Step[] {
  const last = groupTurns(actions).at(-1)
  const begunBySame = last !== undefined && player !== null && last.seat === player
  return begunBySame && last.steps.some((step) => !step.isDice) ? last.steps : []
}
