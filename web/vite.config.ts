import { existsSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin, Rolldown } from 'vite'
import { defineConfig } from 'vitest/config'
import { pythonSources } from './scripts/python-sources.mjs'

const server = process.env.SPIELWERK_URL ?? 'http://127.0.0.1:8000'

/** Writes the service worker with the files of the front page: another build is another worker. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = frontPage(bundle)
      const version = hash(files.join())
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

const PYODIDE = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'pyodide-lock.json', 'python_stdlib.zip']

type Content = [name: string, content: string | Uint8Array]

/** What draws positions without a server, and the list of all files that a browser then needs; only beside the core. */
function withoutServer(): Plugin {
  return {
    name: 'without-server',
    apply: 'build',
    generateBundle(_, bundle) {
      if (!existsSync('src/engine/spielwerk.wasm')) return
      const { version } = JSON.parse(readFileSync('node_modules/pyodide/package.json', 'utf8')) as { version: string }
      const texts = JSON.stringify(pythonSources())
      const [python, sources] = [`assets/python-${version}`, `assets/pictures-${hash(texts)}.json`]
      const machine = PYODIDE.map((file): Content => [`${python}/${file}`, readFileSync(`node_modules/pyodide/${file}`)])
      const drawing: Content[] = [[sources, texts], ...machine]
      const page = Object.entries(bundle).filter(([name]) => name.startsWith('assets/') && !name.includes('latin-ext'))
      const all = [...drawing, ...page.map(([name, file]) => contentOf(name, file))]
      const files = all.map(([name]) => `/${name}`).sort()
      const bytes = all.reduce((sum, [, source]) => sum + gzipSync(source).length, 0)
      for (const [fileName, source] of drawing) this.emitFile({ type: 'asset', fileName, source })
      const list = { version: hash(files.join()), bytes, python: `/${python}`, sources: `/${sources}`, files }
      this.emitFile({ type: 'asset', fileName: 'offline.json', source: JSON.stringify(list) })
    },
  }
}

function contentOf(name: string, file: Rolldown.OutputAsset | Rolldown.OutputChunk): Content {
  return [name, file.type === 'chunk' ? file.code : file.source]
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

export default defineConfig({
  plugins: [svelte(), serviceWorker(), withoutServer()],
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
