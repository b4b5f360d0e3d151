import { describe, expect, it } from 'vitest'
import { applyDifference, pieceOf, shapesById, withoutNews, withStatic, type Difference, type Scene } from '../src/board/scene'
import fixture from './differences.json'

const first = fixture.first as unknown as Scene

describe('a difference', () => {
  it('leads to the same scene as in Python, action by action', () => {
    let scene = first
    for (const { difference, expected } of fixture.steps) {
      scene = applyDifference(scene, difference as unknown as Difference)
      const { static: fixed, ...dynamic } = scene
      expect(dynamic).toEqual(expected)
      expect(fixed).toBe(first.static)
    }
  })

  it('may be a whole scene, with or without its static part', () => {
    const { static: fixed, ...rest } = first
    expect(applyDifference(first, { ...rest, static: fixed.key })).toEqual(first)
    expect(applyDifference(first, { ...first, title: 'other' }).title).toBe('other')
  })

  it('is refused where the static part is unknown', () => {
    expect(() => withStatic({ ...first, static: 'other' }, first.static)).toThrow('other')
    expect(() => withStatic({ ...first, static: 'other' }, null)).toThrow('other')
  })

  it('drops, replaces in place, appends and reorders', () => {
    const shape = (id: string, x: number) => ({ kind: 'circle' as const, id, x, y: 0, radius: 1 })
    const before: Scene = { ...first, layers: [{ name: 'l', shapes: [shape('a', 1), shape('b', 2), shape('c', 3)] }], hits: [] }
    const ids = (changes: Difference['changes'][string]) => {
      const words = { title: '', headline: '', detail: '', remarks: [], notes: [], tallies: [], summary: '' }
      const difference = { version: 1, static: '', ...words, changes: { l: changes }, hit_changes: {} }
      return applyDifference(before, difference).layers[0]!.shapes.map(({ id }) => id)
    }
    expect(ids({ drop: ['b'] })).toEqual(['a', 'c'])
    expect(ids({ put: [shape('b', 9), shape('d', 4)] })).toEqual(['a', 'b', 'c', 'd'])
    expect(ids({ order: ['c', 'a', 'b'] })).toEqual(['c', 'a', 'b'])
  })
})

it('says what there is to do', () => {
  expect(first.headline).toEqual({ en: 'White to move', de: 'Weiß am Zug' })
  expect(first.detail).toEqual({ en: 'jump', de: 'springen' })
  const [{ difference }] = fixture.steps as unknown as [{ difference: Difference }]
  expect(applyDifference(first, difference).detail).toEqual(difference.detail)
})

it('can leave its news to a status line', () => {
  const left = shapesById(withoutNews(first))
  for (const id of ['headline', 'detail', 'turn', 'turn-horse']) expect(left.has(id), id).toBe(false)
  expect(left.has('horse-0')).toBe(true)
})

it('shows a piece of each seat, and says what it is called beside the board', () => {
  expect(pieceOf(first, 0)).toEqual({ symbol: 'horse-white', name: '' })
  expect(pieceOf(first, 7)).toBeNull()
  const land = { kind: 'use', id: 'score-land-red', classes: 'seat-0', label: 'Red', symbol: 'land-red', x: 0, y: 0, size: 9 } as const
  const swapped = { ...first, layers: [...first.layers, { name: 'margin', shapes: [land] }] }
  expect(pieceOf(swapped, 0)).toEqual({ symbol: 'land-red', name: 'Red' })
})
