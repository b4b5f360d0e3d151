import { expect, it } from 'vitest'
import type { TableSummary } from '../src/api/types'
import { playersOf, rematchSeats } from '../src/parts/tables'

const person = { kind: 'human', name: null, label: 'White', level: null, level_title: null, team: null, connected: true }
const agent = { ...person, kind: 'agent', label: 'Black', level: 'club', level_title: 'Club player' }
const table = (...seats: object[]) => ({ seats }) as unknown as TableSummary

it('names everyone at a table, those without a name too', () => {
  expect(playersOf(table(person, agent))).toBe('White: a guest – Black: Club player')
  expect(playersOf(table(person, agent), [0])).toBe('White: you – Black: Club player')
})

it('changes colours for a rematch, and asks people before', () => {
  expect(rematchSeats(table(person, agent), [0], 'Ada')).toEqual([{ kind: 'agent', level: 'club' }, { kind: 'human', name: 'Ada' }])
  expect(rematchSeats(table(person, { ...person, label: 'Black' }), [0], '')).toBeNull()
})
