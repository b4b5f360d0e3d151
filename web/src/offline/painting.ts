// The worker that draws positions without a server. Python takes a few seconds to start.

import { fetched, loadCore } from '../engine/load'
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
  const [machine, texts, rules] = await Promise.all([
    loadPyodide({ indexURL: `${python}/` }),
    fetched(sources).then((answer) => answer.json() as Promise<Record<string, string>>),
    loadCore(core),
  ])
  return startPainter(machine, texts, rules)
}

function say(said: Said): void {
  self.postMessage(said)
}
