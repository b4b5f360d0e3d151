import { describe, expect, it } from 'vitest'
import {
  centreOf,
  contains,
  isOnBoard,
  joined,
  nextInDirection,
  possibleTurns,
  turned,
  turnedPoint,
  type Direction,
  type Turn,
} from '../src/board/geometry'
import { shapesById, type Point, type Scene, type Shape } from '../src/board/scene'
import fixture from './differences.json'

const scene = fixture.first as unknown as Scene
const { focus } = scene.static

describe('boxes that touch', () => {
  it('become one, also when a third one brings them together', () => {
    const boxes = joined([
      [0, 0, 10, 10],
      [30, 0, 10, 10],
      [5, 5, 30, 2],
      [100, 100, 5, 5],
    ])
    expect(boxes).toEqual([
      [0, 0, 40, 10],
      [100, 100, 5, 5],
    ])
  })
})

describe('turning the board', () => {
  it('leads back after four quarter turns', () => {
    let shown = scene
    for (let step = 0; step < 4; step++) shown = turned(shown, 1)
    expect(shown.layers).toEqual(scene.layers)
  })

  it('moves cells together with what stands on them, and leaves the margin alone', () => {
    const shapes = shapesById(turned(scene, 2))
    expect(centreOf(shapes.get('horse-0')!)).toEqual(centreOf(shapes.get('cell-a4')!))
    expect(centreOf(shapes.get('cell-a4')!)).toEqual(centreOf(shapesById(scene).get('cell-d1')!))
    expect(shapes.get('headline')).toEqual(shapesById(scene).get('headline'))
  })

  it('takes what stands in free corners to the opposite edge, and texts to the other side of their cells', () => {
    const whole = { ...scene, static: { ...scene.static, focus: scene.static.view } }
    const [, , , height] = scene.static.view
    const score: Shape = { kind: 'text', id: 'score', x: 900, y: 60, size: 20, content: '2' }
    const rank: Shape = { kind: 'text', id: 'rank', x: 40, y: 60, size: 20, content: '8', anchor: 'end' }
    const layers = [{ name: 'margin', shapes: [score] }, { name: 'ranks', shapes: [rank] }]
    const shapes = shapesById(turned({ ...whole, layers }, 2))
    expect(shapes.get('score')).toMatchObject({ x: 900, y: height - 40 })
    expect(shapes.get('rank')).toMatchObject({ anchor: 'start' })
  })

  it('maps the points of every kind of shape alike', () => {
    const shapes: Shape[] = [
      { kind: 'line', id: 'l', x1: 100, y1: 200, x2: 300, y2: 400 },
      { kind: 'polygon', id: 'p', points: [[100, 200], [300, 400], [300, 200]] },
      { kind: 'path', id: 'd', d: 'M100 200 L300 400 C1 2 3 4 100 200 Z' },
    ]
    const [line, polygon, path] = turned({ ...scene, layers: [{ name: 'l', shapes }] }, 1).layers[0]!.shapes
    const [x, y] = turnedPoint([100, 200], 1, focus)
    expect(line).toMatchObject({ x1: x, y1: y })
    expect(polygon).toMatchObject({ points: [[x, y], expect.anything(), expect.anything()] })
    expect(path).toMatchObject({ d: expect.stringMatching(new RegExp(`^M${x} ${y} L`)) })
  })

  it('offers quarter turns only to square boards', () => {
    expect(possibleTurns([0, 0, 920, 920])).toEqual<Turn[]>([0, 1, 2, 3])
    expect(possibleTurns([0, 0, 1000, 866])).toEqual<Turn[]>([0, 2])
  })
})

describe('what lies under a point', () => {
  it('knows surfaces, and lines within reach', () => {
    const triangle: Shape = { kind: 'polygon', points: [[0, 0], [10, 0], [0, 10]] }
    expect(contains(triangle, [2, 2], 0)).toBe(true)
    expect(contains(triangle, [9, 9], 0)).toBe(false)
    const line: Shape = { kind: 'line', x1: 0, y1: 0, x2: 10, y2: 0 }
    expect(contains(line, [5, 3], 4)).toBe(true)
    expect(contains(line, [5, 3], 2)).toBe(false)
    expect(contains(line, [20, 0], 4)).toBe(false)
  })

  it('tells the board from its margin', () => {
    const shapes = shapesById(scene)
    expect(isOnBoard(shapes.get('cell-a1')!, 'cells', focus)).toBe(true)
    expect(isOnBoard(shapes.get('turn')!, 'other', focus)).toBe(false)
    expect(isOnBoard(shapes.get('cell-a1')!, 'margin', focus)).toBe(false)
  })
})

describe('arrow keys', () => {
  const cells = [...shapesById(scene)].filter(([id]) => id.startsWith('cell-'))
  const centres = cells.map(([, shape]) => centreOf(shape))
  const walk = (from: string, ...directions: Direction[]) =>
    directions.reduce((name, direction) => {
      const next = nextInDirection(centres, centreOf(shapesById(scene).get(`cell-${name}`)!), direction)
      return next < 0 ? name : cells[next]![0].slice('cell-'.length)
    }, from)

  it('go from square to square and stop at the edge', () => {
    expect(walk('a4', 'right')).toBe('b4')
    expect(walk('a4', 'down', 'down', 'right', 'up')).toBe('b3')
    expect(walk('a4', 'up')).toBe('a4')
    expect(walk('d1', 'right', 'down')).toBe('d1')
  })

  it('reach every field of a board of triangles', () => {
    const fields: Point[] = []
    for (let row = 0; row < 4; row++)
      for (let column = 0; column < 2 * row + 1; column++)
        fields.push([50 * column - 50 * row, 100 * row + (column % 2 ? -15 : 15)])
    const seen = new Set([0])
    for (const index of seen)
      for (const direction of ['left', 'right', 'up', 'down'] as const) {
        const next = nextInDirection(fields, fields[index]!, direction)
        if (next >= 0) seen.add(next)
      }
    expect(seen.size).toBe(fields.length)
  })
})
