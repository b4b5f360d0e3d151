import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin, Rolldown } from 'vite'
import { defineConfig } from 'vitest/config'

const server = process.env.SPIELWERK_URL ?? 'http://127.0.0.1:8000'

/** Writes the service worker with the files of the front page: another build is another worker. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = frontPage(bundle)
      const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 12)
      const source = readFileSync('src/worker.js', 'utf8')
      const filled = source.replace("'VERSION'", JSON.stringify(version)).replace("['FILES']", JSON.stringify(files))
      this.emitFile({ type: 'asset', fileName: 'worker.js', source: filled })
    },
  }
}

/** The entry, the front page, all that they import, and the fonts of our languages. */
function frontPage(bundle: Rolldown.OutputBundle): string[] {
  const found = new Set<string>()
  const add = (name: string) => {
    const chunk = bundle[name]
    if (!chunk || found.has(name)) return
    found.add(name)
    if (chunk.type !== 'chunk') return
    chunk.imports.forEach(add)
    chunk.viteMetadata?.importedCss.forEach(add)
  }
  for (const [name, chunk] of Object.entries(bundle)) {
    if (chunk.type === 'chunk' && (chunk.isEntry || chunk.facadeModuleId?.endsWith('pages/Home.svelte'))) add(name)
    if (name.endsWith('.woff2') && !name.includes('latin-ext')) add(name)
  }
  return [...found].map((name) => `/${name}`).sort()
}

export default defineConfig({
  plugins: [svelte(), serviceWorker()],
  build: {
    outDir: '../src/spielwerk/server/page',
    emptyOutDir: true,
    // Everything is a file of its own: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
  server: { proxy: { '/api': { target: server, ws: true } } },
  ...(process.env.VITEST ? { resolve: { conditions: ['browser'] } } : {}),
  test: { environment: 'jsdom', include: ['tests/**/*.test.ts'] },
})
