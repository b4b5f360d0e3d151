// An agent's moves, thought out in this browser when the server asks for them. The server checks and stores them.

import type { ClientMessage, Question } from '../api/types'
import { canThink } from '../engine/ability'
import type { Thinker } from '../engine/engine'
import type { Standing } from './table.svelte'

type Advice = Extract<ClientMessage, { type: 'advice' }>

export class Opponent {
  /** Until it fails once: the server need not wait for it again. */
  thinks = canThink()
  private thinker: Thinker | null = null
  private asked: number | null = null

  constructor(private readonly answer: (advice: Advice) => void) {}

  /** Answers with no action where this browser cannot; not at all if nobody waits any more. */
  async think(question: Question, now: Standing | null): Promise<void> {
    const { seq } = question
    this.asked = seq
    const action = await this.actionFor(question, now).catch(() => null)
    if (this.asked !== seq) return
    this.asked = null
    this.thinks = action !== null
    this.answer({ type: 'advice', seq, action })
  }

  /** The position has changed. */
  stop(): void {
    this.asked = null
    this.thinker?.stop()
  }

  end(): void {
    this.asked = null
    this.thinker?.end()
  }

  private async actionFor({ seq, seat, search }: Question, now: Standing | null): Promise<string | null> {
    const { Thinker } = await import('../engine/engine')
    if (now?.seq !== seq || this.asked !== seq) return null
    this.thinker ??= new Thinker()
    const { game, rules, start, actions } = now
    const { lines } = await this.thinker.search({ game, rules, start, actions, player: seat }, search)
    return lines[0]?.actions[0] ?? null
  }
}
