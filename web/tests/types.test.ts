import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the types follow the models of the server', () => {
  const current = execFileSync('node', ['scripts/write-types.mjs', '--print'], { encoding: 'utf8' })
  expect(readFileSync('src/api/schema.ts', 'utf8'), 'run `npm run types`').toBe(current)
}, 60_000)
