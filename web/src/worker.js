// Keeps the front page for times without a server. The build fills in its version and its files.
//
// Pages always come from the server while it answers, so a new version is there at the next load. What is kept is
// only shown when it does not. Files with a hash in their name never change and may come from the cache.

const CACHE = `spielwerk-${'VERSION'}`
const SHELL = '/'
const FILES = ['FILES']

self.addEventListener('install', (event) => {
  const fetched = [new Request(SHELL, { cache: 'reload' }), ...FILES]
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fetched)).then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  const forget = (names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))
  event.waitUntil(caches.keys().then(forget).then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => kept(SHELL)))
  else if (FILES.includes(new URL(request.url).pathname)) event.respondWith(kept(request.url).then((file) => file ?? fetch(request)))
})

async function kept(address) {
  return (await caches.open(CACHE)).match(address)
}
