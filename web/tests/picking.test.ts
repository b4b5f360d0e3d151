import { describe, expect, it } from 'vitest'
import { centreOf } from '../src/board/geometry'
import { describePlace, dropAt, forcedPass, onlyHitAt, pickAt, placesAt, withoutMarginButtons } from '../src/board/picking'
import { applyDifference, cellsOf, shapesById, type Difference, type Hit, type Point, type Scene, type Shape } from '../src/board/scene'
import fixture from './differences.json'

const first = fixture.first as unknown as Scene
const placing = applyDifference(first, fixture.steps[0]!.difference as unknown as Difference)

function tableOf(scene: Scene) {
  return { shapes: shapesById(scene), cells: cellsOf(scene.static), hits: scene.hits, reach: 5 }
}
function middleOf(scene: Scene, id: string): Point {
  return centreOf(shapesById(scene).get(id)!)
}

describe('a click', () => {
  it('on an offered cell plays its action', () => {
    const pick = pickAt(tableOf(first), middleOf(first, 'cell-b2'), null)
    expect(pick).toMatchObject({ kind: 'play', hit: { action: 'b2' } })
  })

  it('on a piece that can move selects it, and on a target then plays', () => {
    const pick = pickAt(tableOf(first), middleOf(first, 'horse-0'), null)
    expect(pick).toEqual({ kind: 'select', source: 'horse-0' })
    expect(pickAt(tableOf(first), middleOf(first, 'cell-c3'), 'horse-0')).toMatchObject({ kind: 'play' })
  })

  it('elsewhere tries what the offered actions look like, so that the server can say why not', () => {
    expect(pickAt(tableOf(first), middleOf(first, 'cell-d4'), null)).toMatchObject({ kind: 'attempt', action: 'd4' })
    expect(pickAt(tableOf(placing), middleOf(placing, 'cell-a4'), null)).toMatchObject({ kind: 'attempt', action: '@a4' })
  })

  it('means nothing where nothing is offered', () => {
    expect(pickAt({ ...tableOf(first), hits: [] }, middleOf(first, 'cell-b2'), null)).toEqual({ kind: 'nothing' })
    expect(pickAt(tableOf(first), [-100, -100], null)).toEqual({ kind: 'nothing' })
  })

  it('asks where two actions share an area, unless the piece was chosen', () => {
    const hit = (action: string, source: string): Hit => ({ id: action, area: 'cell-b2', action, label: action, source })
    const table = { ...tableOf(first), hits: [hit('one', 'horse-0'), hit('two', 'horse-1')] }
    expect(pickAt(table, middleOf(first, 'cell-b2'), null)).toMatchObject({ kind: 'choose' })
    expect(pickAt(table, middleOf(first, 'cell-b2'), 'horse-1')).toMatchObject({ kind: 'play', hit: { action: 'two' } })
  })

  it('near a line means the line, inside a field the field', () => {
    const field: Shape = { kind: 'polygon', id: 'field', classes: 'cell', label: '1,1', points: [[0, 0], [100, 0], [0, 100]] }
    const edge: Shape = { kind: 'line', id: 'edge', x1: 0, y1: 0, x2: 100, y2: 0 }
    const shapes = new Map<string, Shape>([['field', field], ['edge', edge]])
    const cells = new Set(['field'])
    const hits = [
      { id: 'f', area: 'field', action: 'f', label: 'f' },
      { id: 'e', area: 'edge', action: 'e', label: 'e' },
    ]
    expect(pickAt({ shapes, cells, hits, reach: 8 }, [50, 4], null)).toMatchObject({ hit: { action: 'e' } })
    expect(pickAt({ shapes, cells, hits, reach: 8 }, [30, 30], null)).toMatchObject({ hit: { action: 'f' } })
  })
})

it('is forced where nothing else can be played and no place of the board is meant', () => {
  const button: Shape = { kind: 'rect', id: 'button-pass', x: 500, y: 960, width: 80, height: 40 }
  const pass: Hit = { id: 'hit-pass', area: 'button-pass', action: 'pass', label: 'pass' }
  const scene = { ...first, layers: [...first.layers, { name: 'margin', shapes: [button] }] }
  expect(forcedPass({ ...scene, hits: [pass] })).toBe('pass')
  expect(forcedPass({ ...scene, hits: [pass, first.hits[0]!] })).toBeNull()
  expect(forcedPass({ ...scene, hits: [first.hits[0]!] })).toBeNull()
})

describe('a drag', () => {
  it('to a target of the piece plays', () => {
    const pick = dropAt(tableOf(first), middleOf(first, 'cell-c3'), 'horse-0')
    expect(pick).toMatchObject({ kind: 'play', hit: { action: 'c3' } })
  })

  it('elsewhere is tried, back home it is nothing', () => {
    const pick = dropAt(tableOf(first), middleOf(first, 'cell-d4'), 'horse-0')
    expect(pick).toEqual({ kind: 'attempt', action: 'd4', source: 'horse-0' })
    expect(dropAt(tableOf(first), middleOf(first, 'horse-0'), 'horse-0')).toEqual({ kind: 'nothing' })
  })
})

describe('the margin', () => {
  it('loses what the page offers as buttons of its own', () => {
    expect([...shapesById(placing).keys()]).toContain('button--')
    const ids = [...shapesById(withoutMarginButtons(placing)).keys()]
    expect(ids.filter((id) => id.startsWith('button'))).toEqual([])
    expect(ids).toContain('headline')
  })
})

describe('a place', () => {
  it('is described by its name, what stands there and what can be done', () => {
    const say = (id: string, language: 'en' | 'de') =>
      describePlace(shapesById(first), first.hits, id, middleOf(first, id), language)
    expect(say('cell-a4', 'en')).toBe('a4, White horse on a4')
    expect(say('cell-b2', 'de')).toBe('b2, nach b2 springen')
  })
})

describe('what is meant for later', () => {
  const cell: Shape = { kind: 'rect', id: 'cell', label: 'a1', x: 0, y: 0, width: 100, height: 100 }
  const mine: Shape = { kind: 'use', id: 'mine', classes: 'piece seat-1', symbol: 's', x: 50, y: 50, size: 40 }
  const theirs: Shape = { ...mine, id: 'theirs', classes: 'piece seat-0' }
  const shapes = new Map([cell, mine, theirs].map((shape) => [shape.id!, shape]))
  const table = { shapes, cells: new Set(['cell']), reach: 1 }

  it('is the place or a piece of one’s own', () => {
    expect(placesAt(table, [50, 50], [1])).toEqual(['mine', 'cell'])
    expect(placesAt(table, [5, 5], [1])).toEqual(['cell'])
  })

  it('is played only where it is one thing', () => {
    const hit = (area: string, action: string): Hit => ({ id: `hit-${action}`, area, action, label: action })
    expect(onlyHitAt([hit('cell', 'x'), hit('other', 'y')], ['mine', 'cell'])?.action).toBe('x')
    expect(onlyHitAt([hit('cell', 'x'), hit('cell', 'y')], ['cell'])).toBeNull()
    expect(onlyHitAt([hit('other', 'y')], ['cell'])).toBeNull()
  })
})
