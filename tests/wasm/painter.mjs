// Positions drawn without a server, for a program in another language: requests as JSON, one a line, answers likewise.
//
//   node tests/wasm/painter.mjs spielwerk.wasm
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { loadPyodide } from '../../web/node_modules/pyodide/pyodide.mjs'
import { pythonSources } from '../../web/scripts/python-sources.mjs'
import { startCore } from '../../web/src/engine/core.js'
import { startPainter } from '../../web/src/offline/painter.js'

const core = await startCore(readFileSync(process.argv[2]))
const painter = startPainter(await loadPyodide(), pythonSources(), core)
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answer(JSON.parse(line))))

function answer(request) {
  try {
    return painter.position(request)
  } catch (error) {
    if (error.code === undefined) throw error
    return { error: error.message, code: error.code }
  }
}
