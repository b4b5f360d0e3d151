// What a person chose for this browser: language, theme, name, the last game. And their system's wishes.

import type { Turn } from './board/geometry'
import type { Language } from './board/scene'

const KEY = 'spielwerk.preferences'

export type Theme = 'system' | 'light' | 'dark' | 'contrast'

interface Preferences {
  language: Language
  theme: Theme
  name: string
  hintLevel: string
  /** Passes that leave no choice are played by themselves. */
  playsPasses: boolean
  /** Whether one throws one's own die; otherwise it falls by itself. */
  throwsDice: boolean
  sound: boolean
  /** How far each game's board is turned. */
  turns: Record<string, Turn>
  /** For how many milliseconds a watched move is shown. */
  watchPace: number
}

function spoken(): Language {
  const wanted = navigator.languages.find((tag) => /^(en|de)\b/.test(tag)) ?? 'en'
  return wanted.startsWith('de') ? 'de' : 'en'
}

function stored(): Partial<Preferences> {
  return readJson<Partial<Preferences>>(KEY) ?? {}
}

export const preferences = $state<Preferences>({
  language: spoken(),
  theme: 'system',
  name: '',
  hintLevel: '',
  playsPasses: true,
  throwsDice: true,
  sound: true,
  turns: {},
  watchPace: 700,
  ...stored(),
})

export function prefer(wishes: Partial<Preferences>): void {
  Object.assign(preferences, wishes)
  // Only what was chosen is kept: the browser's language may change.
  writeJson(KEY, { ...stored(), ...wishes })
}

export const reducedMotion = $state({ current: false })

const motion = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)')
if (motion) {
  reducedMotion.current = motion.matches
  motion.addEventListener('change', () => (reducedMotion.current = motion.matches))
}

const dark = globalThis.matchMedia?.('(prefers-color-scheme: dark)')
const contrast = globalThis.matchMedia?.('(prefers-contrast: more)')

/** The theme that is shown: pictures from the server know no variables. */
export function shownTheme(): Exclude<Theme, 'system'> {
  if (preferences.theme !== 'system') return preferences.theme
  return contrast?.matches ? 'contrast' : dark?.matches ? 'dark' : 'light'
}

export function readJson<Value>(key: string): Value | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Value | null
  } catch {
    return null
  }
}

/** A browser may refuse to keep anything; then it lasts as long as the page. */
export function writeJson(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    return
  }
}
