// The core as WebAssembly for a program in another language: requests as JSON arrays, one a line, answers likewise, each with
// the seconds of the processor that it took.
//
//   node tests/wasm/bridge.mjs spielwerk.wasm
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { CoreError, startCore } from '../../web/src/engine/core.js'

const core = await startCore(readFileSync(process.argv[2]))
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answer(JSON.parse(line))))

function answer(fields) {
  const before = process.cpuUsage()
  try {
    const answer = core.request(...fields)
    const { user, system } = process.cpuUsage(before)
    return { answer, seconds: (user + system) / 1e6 }
  } catch (error) {
    if (error instanceof CoreError) return { error: error.message, code: error.code }
    throw error
  }
}
