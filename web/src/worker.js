// Keeps the front page for times without a server. The build fills in its version and its files. What else a person wanted to
// keep (src/offline/keep.ts) lies in a cache of its own.
//
// Pages always come from the server while it answers, so a new version is there at the next load. What is kept is
// only shown when it does not. Files with a hash in their name never change and may come from the cache.

const CACHE = `spielwerk-${'VERSION'}`
const KEPT = 'spielwerk-kept'
const SHELL = '/'
const FILES = ['FILES']
const KEPT_ANSWERS = ['/offline.json', '/api/games', '/api/levels']

self.addEventListener('install', (event) => {
  const fetched = [new Request(SHELL, { cache: 'reload' }), ...FILES]
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fetched)).then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  const forget = (names) => Promise.all(names.filter((name) => name !== CACHE && name !== KEPT).map((name) => caches.delete(name)))
  event.waitUntil(caches.keys().then(forget).then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const path = new URL(request.url).pathname
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => kept(SHELL)))
  else if (FILES.includes(path)) event.respondWith(kept(request.url).then((file) => file ?? fetch(request)))
  else if (path.startsWith('/assets/')) event.respondWith(wanted(request.url).then((file) => file ?? fetch(request)))
  else if (KEPT_ANSWERS.includes(path)) event.respondWith(fetch(request).catch(() => answerKept(request.url)))
})

async function kept(address) {
  return (await caches.open(CACHE)).match(address)
}

async function wanted(address) {
  return (await caches.has(KEPT)) ? (await caches.open(KEPT)).match(address) : undefined
}

/** Levels are kept for a ruleset's own rules; those that think in the browser play any others, too. */
async function answerKept(address) {
  const { pathname, searchParams } = new URL(address)
  const game = searchParams.get('game')
  return (await wanted(game ? `${pathname}?game=${encodeURIComponent(game)}` : pathname)) ?? Response.error()
}
