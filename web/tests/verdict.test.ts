import { beforeEach, describe, expect, test } from 'vitest'
import type { Seat } from '../src/api/types'
import { preferences } from '../src/preferences.svelte'
import { provedVerdict } from '../src/table/verdict'

const seat = (label: Seat['label']): Seat => ({
  kind: 'human',
  name: null,
  label,
  level: null,
  level_title: null,
  team: null,
  connected: true,
})
const two = [seat({ en: 'White', de: 'Weiß' }), seat({ en: 'Black', de: 'Schwarz' })]
const four = [...two, seat('Blue'), seat('Red')]

describe('a verdict in words', () => {
  beforeEach(() => {
    preferences.language = 'en'
  })

  test('is silent about estimates', () => {
    expect(provedVerdict({ proved: false, value: 1, distance: null }, two, 0)).toBeNull()
  })

  test('names the winner and how far off the end is', () => {
    expect(provedVerdict({ proved: true, value: -1, distance: 12 }, two, 0)).toBe('Proved: Black wins in 12 plies.')
    expect(provedVerdict({ proved: true, value: 1, distance: 1 }, two, 0)).toBe('Proved: White wins in 1 ply.')
    expect(provedVerdict({ proved: true, value: 0.6, distance: null }, two, 1)).toBe('Proved: Black wins.')
  })

  test('speaks German', () => {
    preferences.language = 'de'
    expect(provedVerdict({ proved: true, value: -1, distance: 12 }, two, 0)).toBe('Bewiesen: Schwarz gewinnt in 12 Halbzügen.')
    expect(provedVerdict({ proved: true, value: 0, distance: null }, two, 0)).toBe('Bewiesen: unentschieden.')
  })

  test('names no winner where a loss leaves several', () => {
    expect(provedVerdict({ proved: true, value: -1, distance: null }, four, 1)).toBe('Proved: Black loses.')
  })
})
