// What those asked think of a position, thought out in this browser: one worker for each, in slices of time that grow.

import type { Search } from '../api/types'
import type { Line, Slot, Thought } from '../lab/api'
import { requestFor, Thinker } from './engine'
import type { Place, Report } from './job'

const SLICES_MS = [100, 200, 400, 800, 1600, 3200]
const PROOF_SLICES_MS = [300, 3000]
const MOST_LINES = 1000
const LINES_IN_FULL = 40
const LONGEST_LINE = 16

export type Said = Omit<Thought, 'id' | 'type'>

export class Study {
  private readonly thinkers = new Map<Slot, Thinker>()

  /** Fails where this browser cannot think, or nobody waits any more. */
  async begin(place: Place, searches: Search[], proof: boolean, heard: (said: Said) => void): Promise<void> {
    this.stop()
    const slots: Slot[] = ['first', 'second']
    const studies = searches.map((search, index) => {
      const slices = 'ms' in search.settings ? SLICES_MS : [undefined]
      const requests = slices.map((ms) => requestFor('study', search, ms === undefined ? {} : { ms }))
      return this.thinker(slots[index]!).ask(place, requests, (answer, done) => heard(thought(slots[index]!, answer as Report, done)))
    })
    if (proof) {
      const requests = PROOF_SLICES_MS.map((ms) => requestFor('study', { kind: 'solver', settings: { ms } }))
      studies.push(this.thinker('proof').ask(place, requests, (answer, done) => heard(thought('proof', answer as Report, done))))
    }
    await Promise.all(studies)
  }

  stop(): void {
    for (const thinker of this.thinkers.values()) thinker.stop()
  }

  end(): void {
    for (const thinker of this.thinkers.values()) thinker.end()
  }

  /** Kept from one position to the next, with what it has learnt. */
  private thinker(slot: Slot): Thinker {
    const known = this.thinkers.get(slot) ?? new Thinker()
    this.thinkers.set(slot, known)
    return known
  }
}

export function thought(slot: Slot, { lines, depth, nodes, milliseconds }: Report, done: boolean): Said {
  const shown = lines.slice(0, MOST_LINES).map(
    ({ actions, ...line }, place): Line => ({ ...line, policy: null, actions: actions.slice(0, place < LINES_IN_FULL ? LONGEST_LINE : 1) }),
  )
  return { slot, lines: shown, depth, nodes, milliseconds: Math.round(milliseconds), done }
}
