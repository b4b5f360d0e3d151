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

/** What could be kept, once a service worker can hand it out; null where the page was built without the core. */
export async function offering(): Promise<Offline | null> {
  if (!('serviceWorker' in navigator) || !('caches' in globalThis)) return null
  await navigator.serviceWorker.ready
  return get<Offline>(LIST).catch(() => null)
}

/** Fails where something cannot be fetched or the browser has no room; what was fetched stays for the next try. */
export async function keep(offline: Offline, progress: (share: number) => void = () => {}): Promise<void> {
  const levels = (await get<Game[]>('/api/games')).map(({ name }) => `/api/levels?game=${encodeURIComponent(name)}`)
  const wanted = [...offline.files, LIST, '/api/games', ...levels]
  const cache = await caches.open(CACHE)
  let next = 0
  const fetchSome = async () => {
    while (next < wanted.length) {
      progress(next / wanted.length)
      await fetchInto(cache, wanted[next++]!)
    }
  }
  // All have come to an end before it is said how it ended.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, fetchSome))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  await forgetOthers(cache, wanted)
  writeJson(KEY, offline.version)
}

/** Files with a hash in their name never change. */
async function fetchInto(cache: Cache, address: string): Promise<void> {
  if (address.startsWith('/assets/') && (await cache.match(address))) return
  const answer = await fetch(address, { cache: 'no-cache' })
  if (!answer.ok) throw new Error(`no ${address}`)
  await cache.put(address, answer)
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
