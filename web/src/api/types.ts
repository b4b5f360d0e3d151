// What travels between server and page. The server's models define it (schema.ts is generated from them).

import type { Label } from '../board/scene'
import type { components } from './schema'

type Schemas = components['schemas']

export type Parameter = Schemas['ParameterView']
export type RuleValue = Parameter['default']
export type Rules = Record<string, RuleValue>
export type Game = Schemas['GameView']
/** The beginning of a game, picture by picture. */
export type Demo = Schemas['DemoView']
export type Lesson = Schemas['LessonView']
export type LessonStep = Schemas['LessonStep']
export type Level = Schemas['LevelView']
/** What a level does, where a page with the core can do it by itself. */
export type Search = Schemas['SearchView']
export type Info = Schemas['Info']
/** How a ruleset begins under chosen parameters. */
export type Start = Schemas['StartView']

export type SeatChoice = Pick<Schemas['SeatRequest'], 'kind'> & { name?: string; level?: string }
export interface Opening {
  game: string
  rules: Rules
  seats: SeatChoice[]
  public: boolean
  hotseat: boolean
  clock?: ClockSetting
  rounds?: number
  pace_ms?: number
}
export type ClockSetting = Schemas['ClockSetting']
export type ClockTimes = Schemas['ClockView']
export type Match = Schemas['MatchView']
export type Opened = Schemas['Opened']
export type Joined = Schemas['Joined']

export type Seat = Schemas['SeatView']
export type Result = Schemas['ResultView']
export type Action = Schemas['ActionView']
export type Offer = Schemas['OfferView']
export type TableSummary = Schemas['TableItem']
export type RulePage = Schemas['RulePage']
export type Hint = Schemas['Hint']
export type PlyPicture = Schemas['PlyView']

export type Snapshot = Omit<Schemas['Snapshot'], 'type' | 'scene' | 'legal'> & { scene: NonNullable<Schemas['Snapshot']['scene']> }
/** What an event has no use for is left out. */
export type TableEvent = Partial<Omit<Schemas['Event'], 'type' | 'scene'>> &
  Pick<Schemas['Event'], 'seq' | 'ply' | 'kind'> & { scene?: NonNullable<Schemas['Event']['scene']> }

export type ServerMessage =
  | ({ type: 'snapshot' } & Snapshot)
  | ({ type: 'event' } & TableEvent)
  | (Omit<Schemas['Ack'], 'id'> & { id: string })
  | (Omit<Schemas['Error'], 'id' | 'message'> & { id?: string | null; message: Label })
  | Schemas['Thinking']
  | Question
  | Schemas['Presence']
  | Schemas['Closing']
  | Schemas['Pong']

/** What an agent's next action is, asked of this browser. */
export type Question = Schemas['Consult']

type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never
export type ClientMessage = WithoutId<
  Schemas['Play'] | Schemas['Takeback'] | Schemas['Answer'] | Schemas['Resign'] | Schemas['Rematch'] | Schemas['Advice']
>
