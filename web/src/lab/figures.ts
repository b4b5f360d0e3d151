// Numbers of charts and tables, in the chosen language.

import { preferences } from '../preferences.svelte'
import { l } from './texts'

/** A number in a few letters: `0.0123`, `12,300`, `1.2M`. */
export function short(value: number): string {
  const style = { notation: 'compact', maximumSignificantDigits: 3 } as const
  return new Intl.NumberFormat(preferences.language, style).format(value)
}

/** A share of one. */
export function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

export function span(seconds: number): string {
  if (seconds < 90) return l('training.seconds', { count: Math.round(seconds) })
  if (seconds < 5400) return l('training.minutes', { count: Math.round(seconds / 60) })
  return l('training.hours', { count: Math.round(seconds / 3600) })
}

/** A moment that the server wrote down; empty where that is none. */
export function moment(text: string): string {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return ''
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const
  return new Intl.DateTimeFormat(preferences.language, style).format(date)
}
