// Whether this browser can think by itself: known at once, without loading what thinks.

/** The address of the core's file, if the page was built with it. */
export const FILE = Object.values(import.meta.glob<string>('./spielwerk.wasm', { query: '?url', import: 'default', eager: true }))[0]

/** The core needs WebAssembly's exceptions, which came later than WebAssembly and brought its tags. */
export function canThink(): boolean {
  return FILE !== undefined && 'Tag' in (globalThis.WebAssembly ?? {})
}
