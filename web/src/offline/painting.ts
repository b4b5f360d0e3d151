// The worker that draws positions without a server. Python takes a few seconds to start, then a picture takes milliseconds.

import { startCore } from '../engine/core.js'
import { NoPosition, startPainter, type Painter } from './painter.js'

export interface Files {
  core: string
  python: string
  sources: string
}

export interface Job {
  id: number
  files: Files
  request: object
}

export type Said = { id: number; view: unknown } | { id: number; refused: string; code: string } | { id: number; failed: string }

let painter: Promise<Painter> | null = null

self.onmessage = async ({ data: { id, files, request } }: MessageEvent<Job>) => {
  try {
    painter ??= load(files)
    say({ id, view: (await painter).position(request) })
  } catch (error) {
    say(error instanceof NoPosition ? { id, refused: error.message, code: error.code } : { id, failed: String(error) })
  }
}

async function load({ core, python, sources }: Files): Promise<Painter> {
  const { loadPyodide } = (await import(/* @vite-ignore */ `${python}/pyodide.mjs`)) as { loadPyodide: (options: object) => Promise<unknown> }
  const [machine, bytes, texts] = await Promise.all([
    loadPyodide({ indexURL: `${python}/` }),
    fetched(core).then((answer) => answer.arrayBuffer()),
    fetched(sources).then((answer) => answer.json() as Promise<Record<string, string>>),
  ])
  return startPainter(machine, texts, await startCore(bytes))
}

async function fetched(file: string): Promise<Response> {
  const answer = await fetch(file)
  if (!answer.ok) throw new Error(`no ${file}`)
  return answer
}

function say(said: Said): void {
  self.postMessage(said)
}
