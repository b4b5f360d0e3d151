import { expect, it } from 'vitest'
import { MAX_SCALE, moved, showing, wholeBoard, windowOf, zoomedAt } from '../src/board/zoom'
import type { Box } from '../src/board/scene'

const focus: Box = [0, 0, 800, 800]

it('keeps the point under the finger where it is', () => {
  const zoom = zoomedAt(wholeBoard(focus), focus, 2, [200, 300])
  const [x, y, width, height] = windowOf(zoom, focus)
  expect([(200 - x) / width, (300 - y) / height]).toEqual([200 / 800, 300 / 800])
})

it('never shows more than the board, nor less than an eighth of its side', () => {
  expect(zoomedAt(wholeBoard(focus), focus, 0.1, [0, 0])).toEqual(wholeBoard(focus))
  expect(zoomedAt(wholeBoard(focus), focus, 100, [0, 0]).scale).toBe(MAX_SCALE)
  const corner = moved(zoomedAt(wholeBoard(focus), focus, 2, [400, 400]), focus, [9999, 9999])
  expect(windowOf(corner, focus)).toEqual([0, 0, 400, 400])
})

it('follows the cursor', () => {
  const zoom = zoomedAt(wholeBoard(focus), focus, 4, [0, 0])
  const [x, y, width, height] = windowOf(showing(zoom, focus, [700, 100]), focus)
  expect(700).toBeGreaterThan(x)
  expect(700).toBeLessThan(x + width)
  expect(100).toBeGreaterThan(y)
  expect(100).toBeLessThan(y + height)
})
