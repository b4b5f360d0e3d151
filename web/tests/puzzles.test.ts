import { describe, expect, it } from 'vitest'
import type { PuzzleItem } from '../src/lab/api'
import { afterHelp, afterPuzzle, nextOf } from '../src/lab/puzzles'

const items = ['a', 'b', 'c'].map((id) => ({ id }) as PuzzleItem)

describe('puzzles', () => {
  it('are counted in a row as long as nobody helps', () => {
    let now = { solved: [] as string[], streak: 0, best: 0 }
    now = afterPuzzle(now, 'a', true)
    now = afterPuzzle(now, 'b', true)
    expect(now).toEqual({ solved: ['a', 'b'], streak: 2, best: 2 })
    now = afterPuzzle(afterHelp(now), 'c', false)
    expect(now).toEqual({ solved: ['a', 'b', 'c'], streak: 0, best: 2 })
    expect(afterPuzzle(now, 'c', true).solved).toEqual(['a', 'b', 'c'])
  })

  it('follow each other, those not solved first', () => {
    expect(nextOf(items, [], null)?.id).toBe('a')
    expect(nextOf(items, ['b'], 'a')?.id).toBe('c')
    expect(nextOf(items, ['b'], 'c')?.id).toBe('a')
    expect(nextOf(items, ['a', 'b', 'c'], 'a')?.id).toBe('b')
    expect(nextOf([], [], null)).toBeNull()
  })
})
