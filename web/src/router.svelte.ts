// Addresses. Pages are listed in routes.ts; a new page is one line there.

import type { Component } from 'svelte'

export interface Route {
  /** Parts in braces are handed to the page: '/t/{id}'. */
  pattern: string
  load: () => Promise<{ default: Component<Record<string, string>> }>
}

export const place = $state({ path: location.pathname, hash: location.hash })

addEventListener('popstate', () => arrive())

export function go(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path)
  else {
    history.pushState(null, '', path)
    scrollTo(0, 0)
  }
  arrive()
}

function arrive(): void {
  Object.assign(place, { path: location.pathname, hash: location.hash })
}

/** Follows links within the page without loading it again. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.('a')
  const isPlainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlainClick || event.defaultPrevented || link.target || link.hasAttribute('download')) return
  if (link.origin !== location.origin || link.pathname.startsWith('/api/')) return
  event.preventDefault()
  go(link.pathname + link.search + link.hash)
}

export function match(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern, path].map((text) => text.replace(/\/+$/, '').split('/'))
  if (wanted!.length !== given!.length) return null
  const found: Record<string, string> = {}
  for (const [index, part] of wanted!.entries()) {
    const value = decodeURIComponent(given![index]!)
    if (part.startsWith('{')) found[part.slice(1, -1)] = value
    else if (part !== value) return null
  }
  return found
}
