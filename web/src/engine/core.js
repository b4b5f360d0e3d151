// @ts-check
// The C++ core as WebAssembly, in a page, a worker or Node. cpp/wasm.cpp says what can be asked.

/** @typedef {{ request: (...fields: (string | number)[]) => any }} Core */

/** What the core refused; `code` names the rule where an action was illegal. */
export class CoreError extends Error {
  /** @param {string} message @param {string | null} code */
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

/**
 * Starts the core from the bytes of its file.
 * @param {BufferSource} bytes
 * @returns {Promise<Core>}
 */
export async function startCore(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, imports(() => memory))
  const { spielwerk_request, spielwerk_answer, _initialize } = /** @type {Record<string, (size?: number) => number>} */ (
    /** @type {unknown} */ (instance.exports)
  )
  const memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory)
  _initialize?.()
  return {
    request(...fields) {
      const bytes = new TextEncoder().encode(fields.join('\0'))
      const place = /** @type {number} */ (spielwerk_request?.(bytes.length))
      new Uint8Array(memory.buffer).set(bytes, place)
      const answer = JSON.parse(textAt(memory, /** @type {number} */ (spielwerk_answer?.())))
      if (answer?.error !== undefined) throw new CoreError(answer.error, answer.code ?? null)
      return answer
    },
  }
}

/**
 * All that the core needs from outside: a clock, and a way to give up.
 * @param {() => WebAssembly.Memory} memory
 * @returns {WebAssembly.Imports}
 */
function imports(memory) {
  return {
    env: { emscripten_notify_memory_growth() {} },
    wasi_snapshot_preview1: {
      /** @param {number} _clock @param {bigint} _precision @param {number} place */
      clock_time_get(_clock, _precision, place) {
        new DataView(memory().buffer).setBigUint64(place, BigInt(Math.round(performance.now() * 1e6)), true)
        return 0
      },
      /** @param {number} status */
      proc_exit(status) {
        throw new Error(`the core gave up with status ${status}`)
      },
    },
  }
}

/** @param {WebAssembly.Memory} memory @param {number} begin */
function textAt(memory, begin) {
  const bytes = new Uint8Array(memory.buffer)
  return new TextDecoder().decode(bytes.subarray(begin, bytes.indexOf(0, begin)))
}
