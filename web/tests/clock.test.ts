import { describe, expect, it } from 'vitest'
import { prefer } from '../src/preferences.svelte'
import { controlText, CONTROLS, isLow, keyOf, leftOf, timeText, type HeardClock } from '../src/table/clock'

const heard: HeardClock = {
  times: { pace: 'game', amount: 300, increment: 3, left_ms: [60_000, 30_000], running: 1 },
  heardAt: 1000,
}

describe('the clock', () => {
  it('goes on for the seat that thinks, and for no other', () => {
    expect([leftOf(heard, 0, 6000), leftOf(heard, 1, 6000)]).toEqual([60_000, 25_000])
    expect(leftOf(heard, 1, 99_000)).toBe(0)
  })

  it('shows tenths only when they matter', () => {
    expect([3_661_000, 300_000, 59_001, 10_000, 9_870, 0].map(timeText)).toEqual(['1:01:01', '5:00', '1:00', '0:10', '0:09.8', '0:00.0'])
    expect(timeText(3 * 86_400_000 - 1)).toBe('2 d 23 h')
  })

  it('writes numbers as the language does', () => {
    prefer({ language: 'de' })
    expect(timeText(9_870)).toBe('0:09,8')
    expect(controlText({ pace: 'days', amount: 3, increment: 0 })).toBe('3 Tage je Zug')
    prefer({ language: 'en' })
  })

  it('warns when time is short', () => {
    expect([isLow(heard.times, 9000), isLow(heard.times, 11_000)]).toEqual([true, false])
    expect(isLow({ pace: 'days', amount: 1, increment: 0 }, 3_600_000)).toBe(true)
  })

  it('says what was agreed, each choice differently', () => {
    expect(controlText({ pace: 'game', amount: 300, increment: 3 })).toBe('5 min + 3 s per move')
    expect(new Set(CONTROLS.map(controlText)).size).toBe(CONTROLS.length)
    expect(new Set(CONTROLS.map(keyOf)).size).toBe(CONTROLS.length)
  })
})
