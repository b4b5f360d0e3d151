// Thinking time: what was agreed in words, what is left as a clock shows it.

import type { ClockSetting, ClockTimes } from '../api/types'
import { decimal, t } from '../texts'

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]

/** What the server said, and when it was heard here: the difference to now goes on counting. */
export interface HeardClock {
  times: ClockTimes
  heardAt: number
}

/** What may be chosen for a new table. */
export const CONTROLS: ClockSetting[] = [
  { pace: 'game', amount: 180, increment: 2 },
  { pace: 'game', amount: 300, increment: 3 },
  { pace: 'game', amount: 600, increment: 0 },
  { pace: 'game', amount: 900, increment: 10 },
  { pace: 'game', amount: 1800, increment: 0 },
  { pace: 'move', amount: 15, increment: 0 },
  { pace: 'move', amount: 60, increment: 0 },
  { pace: 'days', amount: 1, increment: 0 },
  { pace: 'days', amount: 3, increment: 0 },
  { pace: 'days', amount: 7, increment: 0 },
]

export function keyOf({ pace, amount, increment }: ClockSetting): string {
  return `${pace}:${amount}+${increment}`
}

export function controlText({ pace, amount, increment }: ClockSetting): string {
  if (pace === 'days') return amount === 1 ? t('clock.day') : t('clock.days', { count: amount })
  const time = amount % 60 === 0 ? t('clock.minutes', { count: amount / 60 }) : t('clock.seconds', { count: amount })
  if (pace === 'move') return t('clock.perMove', { time })
  return increment ? t('clock.increment', { time, count: increment }) : time
}

export function leftOf({ times, heardAt }: HeardClock, seat: number, now: number): number {
  const used = times.running === seat ? now - heardAt : 0
  return Math.max(0, (times.left_ms[seat] ?? 0) - used)
}

/** Little enough to hurry. */
export function isLow({ pace }: ClockSetting, left: number): boolean {
  return left < (pace === 'days' ? 6 * HOUR : 10 * SECOND)
}

export function timeText(left: number): string {
  if (left >= DAY) return t('clock.left.days', { days: Math.floor(left / DAY), hours: Math.floor((left % DAY) / HOUR) })
  const whole = left < 10 * SECOND ? left : Math.ceil(left / SECOND) * SECOND
  const [hours, minutes, seconds] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE), (whole % MINUTE) / SECOND]
  if (hours) return `${hours}:${padded(minutes)}:${padded(Math.floor(seconds))}`
  return left < 10 * SECOND ? `0:0${decimal(Math.floor(seconds * 10) / 10, 1)}` : `${minutes}:${padded(Math.floor(seconds))}`
}

function padded(number: number): string {
  return String(number).padStart(2, '0')
}
