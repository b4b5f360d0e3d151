// The window onto the board: which part of it is seen, and how large.

import type { Box, Point } from './scene'

export const MAX_SCALE = 8

export interface Zoom {
  scale: number
  /** The point of the board in the middle of the window. */
  centre: Point
}

export function wholeBoard([x, y, width, height]: Box): Zoom {
  return { scale: 1, centre: [x + width / 2, y + height / 2] }
}

export function windowOf({ scale, centre }: Zoom, [, , width, height]: Box): Box {
  const [w, h] = [width / scale, height / scale]
  return [centre[0] - w / 2, centre[1] - h / 2, w, h]
}

/** Enlarges so that the given point of the board stays where it is on the screen. */
export function zoomedAt(zoom: Zoom, focus: Box, factor: number, fixed: Point): Zoom {
  const scale = clamp(zoom.scale * factor, 1, MAX_SCALE)
  const part = zoom.scale / scale
  const along = (axis: 0 | 1) => fixed[axis] + (zoom.centre[axis] - fixed[axis]) * part
  return kept({ scale, centre: [along(0), along(1)] }, focus)
}

export function moved(zoom: Zoom, focus: Box, [dx, dy]: Point): Zoom {
  return kept({ ...zoom, centre: [zoom.centre[0] - dx, zoom.centre[1] - dy] }, focus)
}

/** Moves the window no further than needed to see the point, with some room around it. */
export function showing(zoom: Zoom, focus: Box, [x, y]: Point): Zoom {
  const [left, top, width, height] = windowOf(zoom, focus)
  const [roomX, roomY] = [width / 8, height / 8]
  const dx = Math.min(0, x - left - roomX) + Math.max(0, x - left - width + roomX)
  const dy = Math.min(0, y - top - roomY) + Math.max(0, y - top - height + roomY)
  return moved(zoom, focus, [-dx, -dy])
}

function kept({ scale, centre }: Zoom, [x, y, width, height]: Box): Zoom {
  const [halfW, halfH] = [width / scale / 2, height / scale / 2]
  return {
    scale,
    centre: [clamp(centre[0], x + halfW, x + width - halfW), clamp(centre[1], y + halfH, y + height - halfH)],
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
