// What a person keeps in this browser for times without a server: all files of the page, Python among them, the list of
// games and the opponents that think here. The service worker hands it out.

import { get } from '../api/rest'
import type { Game } from '../api/types'
import { writeJson } from '../preferences.svelte'
import { KEY, keptVersion } from './kept'

const CACHE = 'spielwerk-kept'
const LIST = '/offline.json'
const AT_ONCE = 4

/** All that a page without a server is made of; `bytes` as they travel. */
export interface Offline {
  version: string
  bytes: number
  python: string
  sources: string
  files: string[]
}

/** What could be kept; null where the page was built without the core, or the browser keeps nothing. */
export async function offering(): Promise<Offline | null> {
  if (!('serviceWorker' in navigator) || !('caches' in globalThis)) return null
  return get<Offline>(LIST).catch(() => null)
}

/** Fails where something cannot be fetched or the browser has no room; what was fetched stays for the next try. */
export async function keep(offline: Offline, progress: (share: number) => void = () => {}): Promise<void> {
  const games = (await get<Game[]>('/api/games')).map(({ name }) => `/api/levels?game=${encodeURIComponent(name)}`)
  const wanted = [...offline.files, LIST, '/api/games', ...games]
  const cache = await caches.open(CACHE)
  const left = [...wanted]
  const fetchSome = async () => {
    for (let address = left.shift(); address; address = left.shift()) {
      if (!address.startsWith('/assets/') || !(await cache.match(address))) await cache.add(new Request(address, { cache: 'no-cache' }))
      progress(1 - left.length / wanted.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, fetchSome))
  await forgetOthers(cache, wanted)
  writeJson(KEY, offline.version)
}

/** A newer page has taken the place of the one that was kept. */
export async function renew(): Promise<void> {
  const offline = await offering()
  if (offline && offline.version !== keptVersion()) await keep(offline)
}

export async function forget(): Promise<void> {
  localStorage.removeItem(KEY)
  await caches.delete(CACHE)
}

async function forgetOthers(cache: Cache, wanted: string[]): Promise<void> {
  for (const { url } of await cache.keys()) {
    const { pathname, search } = new URL(url)
    if (!wanted.includes(pathname + search)) await cache.delete(url)
  }
}
