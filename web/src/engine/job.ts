// What the page and its thinking worker say to each other.

import type { Rules } from '../api/types'

/** A position: the first one, or that of a text, and what was played from there; dice have no seat. */
export interface Place {
  game: string
  rules: Rules
  start: string | null
  actions: { text: string; seat: number | null }[]
  /** Who is to act there. Where the core thinks otherwise, it knows other rules and must not be asked. */
  player: number
}

/** Requests as cpp/wasm.cpp reads them, answered in turn until one is certain. */
export interface Job extends Place {
  id: number
  file: string
  requests: (string | number)[][]
}

export interface Report {
  lines: { actions: string[]; value: number; visits: number; proved: boolean; distance: number | null }[]
  nodes: number
  depth: number
  milliseconds: number
  proved: boolean
}

export type Said =
  | { id: number; kind: 'answer'; answer: unknown; isLast: boolean }
  | { id: number; kind: 'failed'; message: string }
