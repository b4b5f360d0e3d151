// The worker that thinks in the visitor's browser. Answers go out one by one; whoever wants no more ends the worker.

import type { Core } from './core.js'
import type { Job, Said } from './job'
import { loadCore } from './load'

let core: Promise<Core> | null = null

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  try {
    core ??= loadCore(data.file)
    think(await core, data)
  } catch (error) {
    say({ id: data.id, kind: 'failed', message: String(error) })
  }
}

function think(desk: Core, job: Job): void {
  place(desk, job)
  for (const [index, request] of job.requests.entries()) {
    const answer = desk.request(...request)
    const isLast = index === job.requests.length - 1 || answer.proved
    say({ id: job.id, kind: 'answer', answer, isLast })
    if (isLast) return
  }
}

/** Dice of its own: whoever thinks must not see how those of the table will fall. */
function place(desk: Core, { game, rules, start, actions, player }: Job): void {
  desk.request('game', game, ...Object.entries(rules).map(([name, value]) => `${name}=${value}`))
  let shown = start === null ? desk.request('start', 0, 'explicit') : desk.request('position', start, 0, 'explicit')
  for (const { text, seat } of actions) {
    if (shown.player !== (seat ?? 'chance')) throw new Error('another position')
    shown = desk.request('play', text)
  }
  if (shown.player !== player) throw new Error('another position')
  desk.request('position', shown.position, crypto.getRandomValues(new Uint32Array(1))[0]!, 'automatic')
}

function say(said: Said): void {
  self.postMessage(said)
}
