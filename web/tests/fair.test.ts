import { expect, it } from 'vitest'
import { fairSeat } from '../src/parts/fair'

const game = (lost_seats: number[]) => ({ name: 'a/b', seats: ['White', 'Black'], lost_seats })
const last = (seat: number, winner: number[]) => [{ table: { game: 'a/b', result: { winner } as never }, seats: [seat] }]

it('is never one that is proved to lose', () => {
  expect(fairSeat(game([]), [])).toBe(0)
  expect(fairSeat(game([0]), [])).toBe(1)
  expect(fairSeat(game([0]), last(1, [0]))).toBe(1)
})

it('changes after a loss, and only then', () => {
  expect(fairSeat(game([]), last(0, [1]))).toBe(1)
  expect(fairSeat(game([]), last(1, [0]))).toBe(0)
  expect(fairSeat(game([]), last(1, [1]))).toBe(1)
  expect(fairSeat(game([]), last(1, []))).toBe(1)
})
