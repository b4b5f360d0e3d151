// Answers of the core in the browser as the page shows them.

import { describe, expect, it } from 'vitest'
import { requestFor, Thinker } from '../src/engine/engine'
import type { Report } from '../src/engine/job'
import { thought } from '../src/engine/study'
import { hintIn } from '../src/table/hints'

const line = (first: string, value: number) => ({ actions: [first, ...Array<string>(20).fill('x')], value, visits: 3, proved: false, distance: null })
const report: Report = { lines: [line('a1', 0.5), line('b2', 0.1)], nodes: 9, depth: 2, milliseconds: 1.6, proved: false }

describe('the core in the browser', () => {
  it('is asked in its own words, with settings in place of others', () => {
    const [verb, kind, seed, ...settings] = requestFor('study', { kind: 'alphabeta', settings: { ms: 1000, memory: 16 } }, { ms: 100 })
    expect([verb, kind, ...settings]).toEqual(['study', 'alphabeta', 'ms=100', 'memory=16'])
    expect(Number.isInteger(seed)).toBe(true)
  })

  it('gives hints like those of the server', () => {
    const hint = hintIn(report, 'expert')!
    expect(hint).toMatchObject({ level: 'expert', action: 'a1', value: 0.5, proved: false, distance: null })
    expect(hint.lines.map(([first]) => first)).toEqual(['a1', 'b2'])
    expect(hintIn({ ...report, lines: [] }, 'expert')).toBeNull()
  })

  it('says its thoughts like the server, lines cut to what is shown', () => {
    const said = thought('first', report, true)
    expect(said).toMatchObject({ slot: 'first', depth: 2, nodes: 9, milliseconds: 2, done: true })
    expect(said.lines[0]).toMatchObject({ value: 0.5, visits: 3, distance: null, policy: null })
    expect(said.lines[0]!.actions).toHaveLength(16)
  })

  it('fails where it cannot run, so that the server is asked', async () => {
    const place = { game: 'ludo/ffa', rules: {}, start: null, actions: [], player: 0 }
    await expect(new Thinker().ask(place, [['show']], () => {})).rejects.toThrow()
  })
})
