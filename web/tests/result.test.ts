import { expect, it } from 'vitest'
import { scoreOf, verdictFor } from '../src/table/result'

it('says what a result means for the person before the page', () => {
  expect(verdictFor({ winner: [0] }, [0])).toBe('You win')
  expect(verdictFor({ winner: [0, 2] }, [2])).toBe('You win')
  expect(verdictFor({ winner: [0] }, [1])).toBe('You lose')
  expect(verdictFor({ winner: [] }, [1])).toBe('A draw')
})

it('leaves that open for those who only watch or play for both sides', () => {
  expect(verdictFor({ winner: [0] }, [])).toBeNull()
  expect(verdictFor({ winner: [0] }, [0, 1])).toBeNull()
})

it('tells points with those of the winner first', () => {
  expect(scoreOf({ points: [0, 2], winner: [1] })).toBe('2 : 0')
  expect(scoreOf({ points: [3, 1], winner: [0] })).toBe('3 : 1')
  expect(scoreOf({ points: [0, 0], winner: [0] })).toBe('')
  expect(scoreOf({ points: [1, 2, 3, 4], winner: [3] })).toBe('')
})
