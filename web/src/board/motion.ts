// How long the way from one picture to the next takes.

import { shapesById, type Scene, type Shape } from './scene'

/** Fewer than 200 ms each: a move, a step on a longer way. */
export const MOVE_MS = 180
export const STEP_MS = 110
export const ROLL_MS = 480

export function isDie({ classes }: Shape): boolean {
  return /(^|\s)die(\s|$)/.test(classes ?? '')
}

/** A die that has not fallen yet. */
export function isInHand({ classes }: Shape): boolean {
  return /(^|\s)waiting(\s|$)/.test(classes ?? '')
}

export function hasFallen(before: Shape, after: Shape): boolean {
  return before.kind === 'use' && after.kind === 'use' && before.symbol !== after.symbol && !isInHand(after)
}

/** The way of a piece that came step by step; none where it went straight. */
export function wayOf(shape: Shape): readonly (readonly [number, number])[] {
  return shape.kind === 'use' && shape.path && shape.path.length > 2 ? shape.path : []
}

/** So long the motions last that lead from one scene to the next. */
export function motionMs(before: Scene, after: Scene): number {
  const old = shapesById(before)
  const times = after.layers.flatMap(({ shapes }) =>
    shapes.map((shape) => {
      const then = shape.id ? old.get(shape.id) : undefined
      if (!then || then === shape) return 0
      if (isDie(shape)) return hasFallen(then, shape) ? ROLL_MS : 0
      return isElsewhere(then, shape) ? STEP_MS * Math.max(0, wayOf(shape).length - 1) : 0
    }),
  )
  return Math.max(0, ...times)
}

export function isElsewhere(before: Shape, after: Shape): boolean {
  return before.kind === 'use' && after.kind === 'use' && (before.x !== after.x || before.y !== after.y)
}
