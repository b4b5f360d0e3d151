// Where shapes are: boxes, turning the board, what lies under a finger, and the next cell in a direction.

import type { Box, Point, Scene, Shape } from './scene'

/** Clockwise quarter turns of the board. */
export type Turn = 0 | 1 | 2 | 3

export function boxOf(shape: Shape): Box {
  switch (shape.kind) {
    case 'rect':
      return [shape.x, shape.y, shape.width, shape.height]
    case 'circle':
      return [shape.x - shape.radius, shape.y - shape.radius, 2 * shape.radius, 2 * shape.radius]
    case 'use':
      return [shape.x - shape.size / 2, shape.y - shape.size / 2, shape.size, shape.size]
    case 'text':
      return [shape.x, shape.y - shape.size, 0, shape.size]
    case 'line':
      return around([
        [shape.x1, shape.y1],
        [shape.x2, shape.y2],
      ])
    case 'polygon':
      return around(shape.points)
    case 'path':
      return around(pathPoints(shape.d))
  }
}

export function centreOf(shape: Shape): Point {
  if (shape.kind === 'polygon') return mean(shape.points)
  const [x, y, width, height] = boxOf(shape)
  return [x + width / 2, y + height / 2]
}

/** A line with a head, whose length is given. */
export function arrow([x1, y1]: Point, [x2, y2]: Point, head: number, classes: string): Shape[] {
  const length = Math.hypot(x2 - x1, y2 - y1)
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length]
  const [bx, by] = [x2 - dx * head, y2 - dy * head]
  const points: Point[] = [[x2, y2], [bx - (dy * head) / 2, by + (dx * head) / 2], [bx + (dy * head) / 2, by - (dx * head) / 2]]
  return [
    { kind: 'line', x1, y1, x2: bx, y2: by, classes: `mark ${classes}` },
    { kind: 'polygon', points, classes: `mark ${classes} head` },
  ]
}

/**
 * Whether a shape of this layer belongs to the board itself. The rest neither turns nor zooms: the layer of that
 * name, and whatever reaches beyond the focus.
 */
export function isOnBoard(shape: Shape, layer: string, [left, top, width, height]: Box): boolean {
  const [x, y, w, h] = boxOf(shape)
  return layer !== 'margin' && layer !== 'status' && x >= left && y >= top && x + w <= left + width && y + h <= top + height
}

/** A board that is not square can only be turned upside down. */
export function possibleTurns([, , width, height]: Box): Turn[] {
  return Math.abs(width - height) < 0.02 * width ? [0, 1, 2, 3] : [0, 2]
}

/**
 * The scene with its board turned within `focus`; symbols and texts stay upright. What stands beside the board
 * within `focus`, in corners that the board leaves free, goes to the opposite edge as the board does.
 */
export function turned(scene: Scene, turn: Turn): Scene {
  if (turn === 0) return scene
  const { focus } = scene.static
  const down = turn === 2 ? shiftOfMargin(scene, focus) : 0
  const layer = ({ name, shapes }: Scene['layers'][number]) => ({
    name,
    shapes: shapes.map((shape) => {
      if (isOnBoard(shape, name, focus)) return turnedShape(shape, turn, focus)
      return down && name === 'margin' ? shiftedDown(shape, down) : shape
    }),
  })
  const fixed = { ...scene.static, key: `${scene.static.key}/${turn}`, layers: scene.static.layers.map(layer) }
  return { ...scene, static: fixed, layers: scene.layers.map(layer) }
}

/** How far the margin within `focus` must go down to be as near to the lower edge as it is to the upper one. */
function shiftOfMargin({ layers }: Scene, focus: Box): number {
  const [, top, , height] = focus
  const boxes = layers.flatMap(({ name, shapes }) => (name === 'margin' ? shapes.map(boxOf) : []))
  const inside = boxes.filter(([x, y, w, h]) => isInBox([x + w / 2, y + h / 2], focus))
  if (inside.length === 0) return 0
  const first = Math.min(...inside.map(([, y]) => y))
  const last = Math.max(...inside.map(([, y, , h]) => y + h))
  return 2 * top + height - first - last
}

function shiftedDown(shape: Shape, by: number): Shape {
  if (shape.kind === 'rect' || shape.kind === 'circle' || shape.kind === 'use' || shape.kind === 'text') return { ...shape, y: shape.y + by }
  if (shape.kind === 'line') return { ...shape, y1: shape.y1 + by, y2: shape.y2 + by }
  const down = ([x, y]: Point): Point => [x, y + by]
  return shape.kind === 'polygon' ? { ...shape, points: shape.points.map(down) } : { ...shape, d: mapPath(shape.d, down) }
}

export function turnedPoint([x, y]: Point, turn: Turn, [left, top, width, height]: Box): Point {
  const [cx, cy] = [left + width / 2, top + height / 2]
  const [dx, dy] = [x - cx, y - cy]
  const [tx, ty] = ([[dx, dy], [-dy, dx], [-dx, -dy], [dy, -dx]] as const)[turn]
  return [rounded(cx + tx), rounded(cy + ty)]
}

function turnedShape(shape: Shape, turn: Turn, focus: Box): Shape {
  const at = (point: Point) => turnedPoint(point, turn, focus)
  switch (shape.kind) {
    case 'rect': {
      const corners = [at([shape.x, shape.y]), at([shape.x + shape.width, shape.y + shape.height])]
      const [x, y, width, height] = around(corners)
      return { ...shape, x, y, width, height }
    }
    case 'circle': {
      const [x, y] = at([shape.x, shape.y])
      return { ...shape, x, y }
    }
    case 'use': {
      const [x, y] = at([shape.x, shape.y])
      return { ...shape, x, y, ...(shape.path && { path: shape.path.map(at) }) }
    }
    case 'text': {
      const [x, middle] = at([shape.x, shape.y - shape.size / 2])
      return { ...shape, x, y: middle + shape.size / 2, anchor: turnedAnchor(shape.anchor ?? 'start', turn) }
    }
    case 'line': {
      const [[x1, y1], [x2, y2]] = [at([shape.x1, shape.y1]), at([shape.x2, shape.y2])]
      return { ...shape, x1, y1, x2, y2 }
    }
    case 'polygon':
      return { ...shape, points: shape.points.map(at) }
    case 'path':
      return { ...shape, d: mapPath(shape.d, at) }
  }
}

/** A text goes on in the direction in which it did, seen from its cell. */
function turnedAnchor(anchor: 'start' | 'middle' | 'end', turn: Turn): 'start' | 'middle' | 'end' {
  if (anchor === 'middle' || turn % 2) return 'middle'
  return anchor === 'start' ? 'end' : 'start'
}

/** Size of the surface: of two areas under a finger the smaller one is meant. */
export function surfaceOf(shape: Shape): number {
  if (shape.kind === 'line') return 0
  if (shape.kind === 'polygon') return Math.abs(signedArea(shape.points))
  const [, , width, height] = boxOf(shape)
  return width * height
}

/** Whether the point is on the shape; `reach` is how near one must come to a line. */
export function contains(shape: Shape, point: Point, reach: number): boolean {
  switch (shape.kind) {
    case 'circle':
      return Math.hypot(point[0] - shape.x, point[1] - shape.y) <= Math.max(shape.radius, reach)
    case 'line':
      return distanceToLine(point, [shape.x1, shape.y1], [shape.x2, shape.y2]) <= reach
    case 'polygon':
      return isInPolygon(point, shape.points)
    case 'path':
      return isInPolygon(point, pathPoints(shape.d))
    default:
      return isInBox(point, boxOf(shape))
  }
}

export function isInBox([px, py]: Point, [x, y, width, height]: Box): boolean {
  return px >= x && px <= x + width && py >= y && py <= y + height
}

/** The boxes, those that touch put together until none does. */
export function joined(boxes: readonly Box[]): Box[] {
  const apart: Box[] = []
  for (let box of boxes) {
    for (let at = apart.findIndex((other) => touches(box, other)); at >= 0; at = apart.findIndex((other) => touches(box, other)))
      box = spanned(box, apart.splice(at, 1)[0]!)
    apart.push(box)
  }
  return apart
}

function touches([x, y, width, height]: Box, [left, top, w, h]: Box): boolean {
  return x <= left + w && left <= x + width && y <= top + h && top <= y + height
}

function spanned([x, y, width, height]: Box, [left, top, w, h]: Box): Box {
  return around([
    [Math.min(x, left), Math.min(y, top)],
    [Math.max(x + width, left + w), Math.max(y + height, top + h)],
  ])
}

export type Direction = 'left' | 'right' | 'up' | 'down'
const WAYS: Record<Direction, Point> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }

/** The centre to which an arrow key leads: near, and rather ahead than aside; -1 at the edge. */
export function nextInDirection(centres: readonly Point[], from: Point, direction: Direction): number {
  const [wx, wy] = WAYS[direction]
  let best = -1
  let bestCost = Infinity
  centres.forEach(([x, y], index) => {
    const [dx, dy] = [x - from[0], y - from[1]]
    const ahead = dx * wx + dy * wy
    const aside = Math.abs(dx * wy) + Math.abs(dy * wx)
    if (ahead <= 1e-6 || aside > 2 * ahead) return
    const cost = ahead + 2 * aside
    if (cost < bestCost) [best, bestCost] = [index, cost]
  })
  return best
}

function around(points: readonly Point[]): Box {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top]
}

function mean(points: readonly Point[]): Point {
  const sum = points.reduce(([x, y], [px, py]) => [x + px, y + py] as const, [0, 0] as Point)
  return [sum[0] / points.length, sum[1] / points.length]
}

function signedArea(points: readonly Point[]): number {
  return points.reduce((sum, [x, y], index) => {
    const [nx, ny] = points[(index + 1) % points.length]!
    return sum + (x * ny - nx * y) / 2
  }, 0)
}

function isInPolygon([x, y]: Point, points: readonly Point[]): boolean {
  let inside = false
  points.forEach(([ax, ay], index) => {
    const [bx, by] = points[(index + 1) % points.length]!
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside
  })
  return inside
}

function distanceToLine([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length))
  return Math.hypot(x - ax - along * dx, y - ay - along * dy)
}

// Scenes write paths in absolute M, L, Q, C and Z only, so every pair of numbers is a point.
const PAIR = /(-?[\d.]+)[\s,]+(-?[\d.]+)/g

function pathPoints(d: string): Point[] {
  return [...d.matchAll(PAIR)].map(([, x, y]) => [Number(x), Number(y)])
}

function mapPath(d: string, change: (point: Point) => Point): string {
  return d.replace(PAIR, (_, x, y) => change([Number(x), Number(y)]).join(' '))
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
