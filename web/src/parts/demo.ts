// The beginning of a game, picture by picture.

import { api } from '../api/rest'
import { applyDifference, type Scene } from '../board/scene'

const known = new Map<string, Promise<Scene[]>>()

/** Asked for once per ruleset; nothing where the server does not answer, and then it is asked again the next time. */
export function demoPictures(game: string): Promise<Scene[]> {
  const found = known.get(game) ?? load(game)
  known.set(game, found)
  return found
}

async function load(game: string): Promise<Scene[]> {
  const demo = await api.demo(game).catch(() => null)
  if (!demo) {
    known.delete(game)
    return []
  }
  const all = [demo.scene]
  for (const step of demo.steps) all.push(applyDifference(all.at(-1)!, step))
  return all
}
