// Whether this browser keeps the page for times without a server; apart from how, which loads when it is wanted.

import { readJson } from '../preferences.svelte'

export const KEY = 'spielwerk.kept'

export function keptVersion(): string | null {
  return readJson<string>(KEY)
}
