// What the laboratory draws over a board: arrows and rings for the best moves, a value or a probability on every field.

import { arrow, boxOf, centreOf } from '../board/geometry'
import type { Hit, Point, Shape } from '../board/scene'
import { signed } from '../texts'
import { percent } from './figures'

export interface Marked {
  action: string
  value: number
  /** What to write there; the value, if nothing else. */
  text?: string
}

/** Smaller shares are none in per cent. */
const LEAST_WRITTEN = 0.005

type Shapes = Map<string, Shape>

/** The best moves in their order, the first most strongly: from piece to place, or around the place. */
export function bestMoves(shapes: Shapes, hits: Hit[], cell: number, moves: Marked[]): Shape[] {
  return moves.flatMap(({ action }, rank) => {
    const hit = hits.find((one) => one.action === action)
    const [area, source] = [shapes.get(hit?.area ?? ''), shapes.get(hit?.source ?? '')]
    if (!area) return []
    const classes = `best best-${rank + 1}`
    const marks = source ? arrow(centreOf(source), centreOf(area), 0.3 * cell, classes) : around(area, classes)
    return [...marks, ...number(area, rank + 1, cell)]
  })
}

/** Every field where something can be played, the better the more of the good colour. */
export function heat(shapes: Shapes, hits: Hit[], cell: number, moves: Marked[]): Shape[] {
  const values = new Map(moves.map((move) => [move.action, move]))
  const best = new Map<string, Marked>()
  for (const { area, action } of hits) {
    const move = values.get(action)
    if (move && move.value >= (best.get(area)?.value ?? -Infinity)) best.set(area, move)
  }
  return [...best].flatMap(([area, { value, text }]) => coloured(shapes.get(area), value, text ?? signed(value, 1), cell))
}

/** How likely each field is played on: all moves there together, the likeliest field in full colour. */
export function policyHeat(shapes: Shapes, hits: Hit[], cell: number, moves: Marked[]): Shape[] {
  const shares = new Map(moves.map(({ action, value }) => [action, value]))
  const fields = new Map<string, number>()
  for (const { area, action } of hits) {
    const share = shares.get(action)
    if (share !== undefined) fields.set(area, (fields.get(area) ?? 0) + share)
  }
  const most = Math.max(...fields.values())
  return [...fields].flatMap(([area, share]) => {
    const step = Math.round((5 * share) / most)
    return coloured(shapes.get(area), step / 5, share < LEAST_WRITTEN ? '' : percent(share), cell)
  })
}

/** A field in the good or the bad colour, the stronger the farther from 0. */
function coloured(shape: Shape | undefined, value: number, text: string, cell: number): Shape[] {
  if (!shape) return []
  const step = Math.min(5, Math.ceil(Math.abs(value) * 5))
  const field = { ...covering(shape), classes: `mark heat ${value < 0 ? 'bad' : 'good'} step-${step}` } as Shape
  return text ? [field, ...written(shape, text, cell)] : [field]
}

/** At the lower edge, where no piece and no head of an arrow lies; in a triangle, below its middle. */
function written(shape: Shape, content: string, cell: number): Shape[] {
  const [x, y, width, height] = boxOf(shape)
  const size = Math.min(0.17 * width, 0.2 * cell, 26)
  if (size < 7) return []
  const [middle, baseline] = shape.kind === 'polygon' ? [centreOf(shape)[0], centreOf(shape)[1] + size] : [x + width / 2, y + height - size / 2]
  return [{ kind: 'text', classes: 'heat-value', x: middle, y: baseline, size, content, anchor: 'middle' }]
}

function covering(shape: Shape): Shape {
  if (shape.kind !== 'use') return shape
  const [x, y, width, height] = boxOf(shape)
  return { kind: 'rect', x, y, width, height, radius: width / 6 }
}

function around(shape: Shape, classes: string): Shape[] {
  return [{ ...covering(shape), classes: `mark ${classes}` } as Shape]
}

/** In a triangle the number leaves room for what is written below. */
function above([x, y]: Point, distance: number): Point {
  return [x, y - distance]
}

function number(shape: Shape, rank: number, cell: number): Shape[] {
  const [x, y] = boxOf(shape)
  const radius = Math.max(11, Math.min(0.13 * cell, 18))
  const [cx, cy] = shape.kind === 'polygon' ? above(centreOf(shape), 0.9 * radius) : [x + radius * 0.9, y + radius * 0.9]
  return [
    { kind: 'circle', x: cx, y: cy, radius, classes: `mark rank rank-${rank}` },
    { kind: 'text', classes: 'rank-number', x: cx, y: cy + radius * 0.5, size: radius, content: String(rank), anchor: 'middle' },
  ]
}
