// Files of the page, fetched by its workers.

import { startCore, type Core } from './core.js'

export async function fetched(file: string): Promise<Response> {
  const answer = await fetch(file)
  if (!answer.ok) throw new Error(`no ${file}`)
  return answer
}

export async function loadCore(file: string): Promise<Core> {
  return startCore(await (await fetched(file)).arrayBuffer())
}
