// What travels between server and page, as docs/protocol.md says it.

import type { Difference, Label, Scene, SceneByKey } from '../board/scene'

export interface Parameter {
  name: string
  kind: 'int' | 'bool' | 'choice' | 'text'
  default: RuleValue
  minimum: number | null
  maximum: number | null
  choices: string[]
  help: Label
}
export type RuleValue = string | number | boolean
export type Rules = Record<string, RuleValue>

export interface Game {
  name: string
  title: Label
  family?: Label
  summary: Label
  seats: Label[]
  teams: number[][] | null
  parameters: Parameter[]
}
export interface Level {
  id: string
  title: Label
  summary: Label
  default?: boolean
}
export interface Info {
  version: string
  protocol: number
  languages: string[]
}

/** How a ruleset begins under chosen parameters. */
export interface Start {
  scene: Scene
  seats: Label[]
  teams: number[][] | null
}

export interface SeatChoice {
  kind: 'human' | 'open' | 'agent'
  name?: string
  level?: string
}
export interface Opening {
  game: string
  rules: Rules
  seats: SeatChoice[]
  public: boolean
  hotseat: boolean
}
export interface Opened {
  id: string
  tokens: Record<string, string>
  invites: Record<string, string>
}

export interface Seat {
  kind: 'human' | 'open' | 'agent'
  name: string | null
  label: Label
  level: string | null
  team: number | null
  connected: boolean
}
export interface Result {
  winner: number[]
  points: number[]
  returns: number[]
  reason: string
  truncated: boolean
  text: Label
}
export type Status = 'waiting' | 'running' | 'over'

export interface TableSummary {
  id: string
  game: string
  rules: Rules
  status: Status
  ply: number
  seats: Seat[]
  created: string
  result: Result | null
  public: boolean
}

export interface Action {
  text: string
  seat: number | null
  turn: number
}
export type Deed = 'play' | 'takeback' | 'resign' | 'rematch' | 'answer'
export interface Offer {
  kind: 'takeback' | 'rematch'
  seat: number
}

/** What changes while a game goes on. */
export interface Standing {
  seq: number
  ply: number
  status: Status
  player: number | null
  can: Deed[]
  offers: Offer[]
  seats: Seat[]
  result: Result | null
}
export interface Snapshot extends Standing {
  id: string
  game: string
  rules: Rules
  public: boolean
  hotseat: boolean
  start: string | null
  next: string | null
  origin: { table: string; ply: number } | null
  created: string
  you: number[]
  actions: Action[]
  scene: Scene | SceneByKey
}
export type EventKind = 'play' | 'dice' | 'takeback' | 'resign' | 'join' | 'offer' | 'over' | 'rematch'
export interface TableEvent extends Partial<Omit<Standing, 'seq' | 'ply'>> {
  seq: number
  ply: number
  kind: EventKind
  seat?: number | null
  text?: string
  turn?: number
  scene?: Difference | Scene | SceneByKey
  you?: number[]
  table?: string
  tokens?: Record<string, string>
  declined?: boolean
  fallback?: string
}

export type ServerMessage =
  | ({ type: 'snapshot' } & Snapshot)
  | ({ type: 'event' } & TableEvent)
  | { type: 'ack'; id: string; seq: number }
  | { type: 'error'; id: string | null; code: string; message: Label; reason_code?: string }
  | { type: 'thinking'; seat: number }
  | { type: 'presence'; connected: boolean[]; watchers: number }
  | { type: 'closing'; retry_ms: number }
  | { type: 'pong' }

export type ClientMessage =
  | { type: 'play'; seq: number; action: string }
  | { type: 'takeback'; seq: number }
  | { type: 'answer'; seq: number; offer: Offer['kind']; accept: boolean }
  | { type: 'resign'; seq: number; seat: number }
  | { type: 'rematch'; seq: number }

export interface Hint {
  action: string
  text: Label
  value: number | null
  evaluation: number[]
  lines: string[][]
}
export interface PlyPicture {
  ply: number
  action: string | null
  seat: number | null
  turn: number | null
  scene: Scene | SceneByKey
}
