// @ts-check
// Positions without a server: the package's own Python draws them, in a browser or in Node. Python comes from Pyodide, the
// rules from the core for browsers.

/** @typedef {import('../engine/core.js').Core} Core */
/** @typedef {{ position: (request: object) => any }} Painter */

/** What there is no position for; `code` as the server says it. */
export class NoPosition extends Error {
  /** @param {string} message @param {string} code */
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

const FOLDER = '/spielwerk'

/**
 * Starts a painter in a Python that has just been loaded.
 * @param {any} python as Pyodide's `loadPyodide` gives it
 * @param {Record<string, string>} sources the package's files that are needed, by path
 * @param {Core} core
 * @returns {Painter}
 */
export function startPainter(python, sources, core) {
  for (const [path, text] of Object.entries(sources)) write(python, `${FOLDER}/${path}`, text)
  python.registerJsModule('spielwerk_desk', { request: (/** @type {(string | number)[]} */ ...fields) => answer(core, fields) })
  const draw = python.runPython(PROGRAM)
  return {
    position(request) {
      const said = JSON.parse(draw(JSON.stringify(request)))
      if (said.error !== undefined) throw new NoPosition(said.error, said.code)
      return said
    },
  }
}

const PROGRAM = `
import json, sys
sys.path.insert(0, "${FOLDER}")
from spielwerk.positions import NoPosition, position_view

def draw(text):
    asked = json.loads(text)
    try:
        view = position_view(asked["game"], asked["rules"], asked["start"], asked["actions"], asked["static"])
    except NoPosition as error:
        view = {"error": str(error), "code": error.code}
    return json.dumps(view)

draw
`

/** @param {any} python @param {string} path @param {string} text */
function write(python, path, text) {
  python.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')))
  python.FS.writeFile(path, text)
}

/** @param {Core} core @param {(string | number)[]} fields */
function answer(core, fields) {
  try {
    return JSON.stringify(core.request(...fields))
  } catch (error) {
    const { message, code } = /** @type {{ message: string, code?: string }} */ (error)
    return JSON.stringify({ error: message, code: code ?? null })
  }
}
