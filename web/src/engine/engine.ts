// Thinking in the visitor's browser, by the C++ core in a worker; the server is not asked then. Everything here fails where
// the page was built without the core, or the browser cannot run it: whoever asks turns to the server.

import type { Search } from '../api/types'
import { FILE } from './ability'
import type { Job, Place, Report, Said } from './job'

/** One worker, started with the first question and ended with a question that nobody waits for any more. */
export class Thinker {
  private worker: Worker | null = null
  private asked = 0
  private giveUp: (() => void) | null = null

  /** Hears every answer; done with the last one. */
  ask(place: Place, requests: Job['requests'], heard: (answer: unknown, isLast: boolean) => void): Promise<void> {
    this.stop()
    const id = ++this.asked
    return new Promise<void>((resolve, reject) => {
      if (FILE === undefined) return reject(new Error('the page was built without the core'))
      this.worker ??= new Worker(new URL('./thinker.ts', import.meta.url), { type: 'module' })
      const fail = (message: string) => {
        this.end()
        reject(new Error(message))
      }
      this.giveUp = () => fail('nobody waits any more')
      this.worker.onerror = () => fail('the worker failed')
      this.worker.onmessage = ({ data }: MessageEvent<Said>) => {
        if (data.id !== id) return
        if (data.kind === 'failed') return fail(data.message)
        if (data.isLast) this.giveUp = null
        heard(data.answer, data.isLast)
        if (data.isLast) resolve()
      }
      const { game, rules, start, actions, player } = place
      this.worker.postMessage({ id, file: FILE, game, rules: { ...rules }, start, actions: plain(actions), player, requests } satisfies Job)
    })
  }

  /** One search to its end. */
  search(place: Place, search: Search): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.ask(place, [requestFor('search', search)], (answer) => resolve(answer as Report)).catch(reject)
    })
  }

  stop(): void {
    this.giveUp?.()
  }

  /** Also when it is idle: its memory is wanted no more. */
  end(): void {
    this.giveUp = null
    this.worker?.terminate()
    this.worker = null
  }
}

/** Without what cannot be sent to a worker. */
function plain(actions: Place['actions']): Place['actions'] {
  return actions.map(({ text, seat }) => ({ text, seat }))
}

/** A request for a search; `changes` stand in place of the settings it has. */
export function requestFor(verb: 'search' | 'study', search: Search, changes: Search['settings'] = {}): (string | number)[] {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]!
  return [verb, search.kind, seed, ...Object.entries({ ...search.settings, ...changes }).map(([name, value]) => `${name}=${value}`)]
}
