// Positions without a server: a worker draws them, if the page was built for that and was kept in this browser.

import { Refusal } from '../api/rest'
import { FILE } from '../engine/ability'
import type { Position, Setup } from '../lab/api'
import { offering } from './keep'
import { keptVersion } from './kept'
import type { Files, Job, Said } from './painting'

interface Waiting {
  resolve: (view: Position) => void
  reject: (error: Error) => void
}

let worker: Promise<{ machine: Worker; files: Files }> | null = null
let asked = 0
const waiting = new Map<number, Waiting>()

/** Like the server's answer; a Refusal where there is no such position, and any other error where nothing can be drawn. */
export async function positionHere({ game, rules, start }: Setup, actions: string[], known: string | null): Promise<Position> {
  worker ??= startWorker()
  const { machine, files } = await worker.catch((error: unknown) => {
    worker = null
    throw error
  })
  const request = { game, rules: { ...rules }, start, actions, static: known }
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject })
    machine.postMessage({ id: asked, files, request } satisfies Job)
  })
}

async function startWorker(): Promise<{ machine: Worker; files: Files }> {
  const offline = keptVersion() === null ? null : await offering()
  if (!offline || FILE === undefined) throw new Error('this page draws nothing without a server')
  const machine = new Worker(new URL('./painting.ts', import.meta.url), { type: 'module' })
  machine.onmessage = ({ data }: MessageEvent<Said>) => hear(data)
  machine.onerror = () => giveUp(new Error('the worker failed'))
  return { machine, files: { core: FILE, python: offline.python, sources: offline.sources } }
}

function hear(said: Said): void {
  const { resolve, reject } = waiting.get(said.id) ?? {}
  waiting.delete(said.id)
  if ('view' in said) resolve?.(said.view as Position)
  else if ('refused' in said) reject?.(new Refusal(said.code, said.refused))
  else {
    reject?.(new Error(said.failed))
    giveUp(new Error(said.failed))
  }
}

/** The next question starts another worker. */
function giveUp(error: Error): void {
  void worker?.then(({ machine }) => machine.terminate())
  worker = null
  for (const { reject } of waiting.values()) reject(error)
  waiting.clear()
}
