// The files of the package that draw positions, as a browser without a server needs them. Without spielwerk/__init__.py, which
// would load environments and agents: what is imported there is imported by its own name.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('../../src/spielwerk', import.meta.url))
const STAND_IN = fileURLToPath(new URL('../src/offline/_core.py', import.meta.url))
const MODULES = ['border', 'catalogue', 'durable', 'errors', 'games', 'hints', 'outcome', 'positions', 'records', 'rule_pages']

/** @returns {Record<string, string>} texts by path */
export function pythonSources() {
  const files = [...MODULES.map((name) => `${name}.py`), ...filesIn('render')]
  const texts = files.map((file) => [`spielwerk/${file}`, readFileSync(join(PACKAGE, file), 'utf8')])
  return Object.fromEntries([...texts, ['spielwerk/_core.py', readFileSync(STAND_IN, 'utf8')]])
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(join(PACKAGE, folder)).sort().flatMap((name) => {
    const path = `${folder}/${name}`
    if (statSync(join(PACKAGE, path)).isDirectory()) return filesIn(path)
    return name.endsWith('.py') ? [path] : []
  })
}
