import { describe, expect, it } from 'vitest'
import { groupRows, groupTurns, rowOf, stepsOfOpenTurn } from '../src/table/turns'

const two = [
  { text: 'b6', seat: 0, turn: 1, words: null },
  { text: '@d4', seat: 0, turn: 1, words: null },
  { text: 'g3', seat: 1, turn: 2, words: null },
  { text: '-', seat: 1, turn: 2, words: null },
  { text: 'c4', seat: 0, turn: 3, words: null },
]

describe('the list of moves', () => {
  it('groups actions into turns and turns into rows', () => {
    const rows = groupRows(groupTurns(two))
    expect(rows.map((row) => row.map((turn) => turn.steps.map((step) => step.text).join('')))).toEqual([
      ['b6@d4', 'g3-'],
      ['c4'],
    ])
  })

  it('counts plies and puts dice into the turn they open', () => {
    const turns = groupTurns([
      { text: 'd6', seat: null, turn: 1, words: null },
      { text: '0', seat: 2, turn: 1, words: null },
      { text: 'd3', seat: null, turn: 2, words: null },
    ])
    expect(turns[0]).toMatchObject({ seat: 2, steps: [{ ply: 1, isDice: true }, { ply: 2, isDice: false }] })
    expect(turns[1]).toMatchObject({ seat: null, steps: [{ ply: 3 }] })
  })

  it('counts positions as it counts its rows', () => {
    const rows = groupRows(groupTurns(two))
    expect([0, 1, 4, 5].map((ply) => rowOf(rows, ply))).toEqual([0, 1, 1, 2])
  })

  it('knows the steps of a half-made turn', () => {
    expect(stepsOfOpenTurn(two, 0).map((step) => step.text)).toEqual(['c4'])
    expect(stepsOfOpenTurn(two, 1)).toEqual([])
    expect(stepsOfOpenTurn([], 0)).toEqual([])
  })
})
