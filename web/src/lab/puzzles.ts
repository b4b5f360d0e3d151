// What this browser remembers of puzzles: which were solved, and how many in a row without help.

import { readJson, writeJson } from '../preferences.svelte'
import type { PuzzleItem } from './api'

const KEY = 'spielwerk.puzzles'

export interface Progress {
  solved: string[]
  streak: number
  best: number
}

export function progress(): Progress {
  return { solved: [], streak: 0, best: 0, ...readJson<Partial<Progress>>(KEY) }
}

/** After a puzzle: solved without a mistake or help, the row goes on. */
export function afterPuzzle(before: Progress, id: string, isClean: boolean): Progress {
  const streak = isClean ? before.streak + 1 : 0
  const solved = before.solved.includes(id) ? before.solved : [...before.solved, id]
  return { solved, streak, best: Math.max(before.best, streak) }
}

/** A mistake or help ends the row at once. */
export function afterHelp(before: Progress): Progress {
  return { ...before, streak: 0 }
}

export function keep(now: Progress): void {
  writeJson(KEY, now)
}

/** The next one that is not solved, after the one that is shown; when all are, simply the next. */
export function nextOf(items: PuzzleItem[], solved: string[], shown: string | null): PuzzleItem | null {
  const at = items.findIndex(({ id }) => id === shown)
  const following = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  return following.find(({ id }) => !solved.includes(id)) ?? following[0] ?? null
}
