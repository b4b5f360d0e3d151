import { describe, expect, it } from 'vitest'
import { motionMs, ROLL_MS, STEP_MS } from '../src/board/motion'
import { turned } from '../src/board/geometry'
import type { Scene, Shape } from '../src/board/scene'

const piece = (x: number, path?: [number, number][]): Shape => ({ kind: 'use', id: 'p', symbol: 's', x, y: 20, size: 10, ...(path && { path }) })
const die = (symbol: string, classes: string): Shape => ({ kind: 'use', id: 'd', classes, symbol, x: 50, y: 50, size: 10 })
const scene = (...shapes: Shape[]): Scene => ({
  version: 1, title: '', headline: '', detail: '', remarks: [], notes: [], tallies: [], summary: '', hits: [],
  static: { key: 'k', game: 'g', view: [0, 0, 100, 100], focus: [0, 0, 100, 100], layers: [], symbols: [] },
  layers: [{ name: 'pieces', shapes }],
})

describe('how long a picture takes', () => {
  it('gives every step of a way its time', () => {
    const way: [number, number][] = [[0, 0], [10, 0], [20, 0], [30, 0]]
    expect(motionMs(scene(piece(0)), scene(piece(30, way)))).toBe(3 * STEP_MS)
    expect(motionMs(scene(piece(30, way)), scene(piece(30)))).toBe(0)
  })

  it('lets a die fall, but not one that comes into the hand', () => {
    const hand = scene(die('any', 'die waiting'))
    expect(motionMs(hand, scene(die('six', 'die')))).toBe(ROLL_MS)
    expect(motionMs(scene(die('six', 'die')), hand)).toBe(0)
  })

  it('turns the way with the board', () => {
    const shape = turned(scene(piece(30, [[10, 20], [20, 20], [30, 20]])), 2).layers[0]!.shapes[0]
    expect(shape).toMatchObject({ x: 70, y: 80, path: [[90, 80], [80, 80], [70, 80]] })
  })
})
