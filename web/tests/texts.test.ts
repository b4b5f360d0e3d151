import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prefer } from '../src/preferences.svelte'
import { labTexts } from '../src/lab/texts'
import { decimal, t, texts } from '../src/texts'

const all: Record<string, { en: Record<string, string>; de: Record<string, string> }> = { page: texts, laboratory: labTexts }

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? sources(path) : [path]
  })
}

describe.each(Object.entries(all))('the texts of the %s', (_, { en, de }) => {
  const keys = Object.keys(en)

  it('are there in both languages, with the same gaps', () => {
    expect(Object.keys(de).sort()).toEqual([...keys].sort())
    const gaps = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
    for (const key of keys) {
      expect(en[key]!.trim(), key).not.toBe('')
      expect(gaps(de[key]!), key).toEqual(gaps(en[key]!))
    }
  })

  it('address people as friends do', () => {
    // 'Sie' and its forms may begin a sentence about someone else, but nobody is meant by them here.
    const polite = Object.entries(de).filter(([, text]) => /\b(Sie|Ihre?[nmrs]?|Ihnen)\b/.test(text))
    expect(polite).toEqual([])
  })

  it('are all used', () => {
    const code = sources('src').filter((path) => !path.endsWith('texts.ts')).map((path) => readFileSync(path, 'utf8')).join()
    const isUsed = (key: string) => code.includes(`'${key}'`) || code.includes(`\`${key.replace(/[^.]+$/, '${')}`)
    expect(keys.filter((key) => !isUsed(key))).toEqual([])
  })

})

describe('a text', () => {
  it('follows the chosen language and fills its gaps', () => {
    prefer({ language: 'de' })
    expect(t('replay.position', { row: 3, rows: 8 })).toBe('Zug 3 von 8')
    expect(decimal(0.5, 2)).toBe('0,50')
    prefer({ language: 'en' })
    expect(t('replay.position', { row: 3, rows: 8 })).toBe('Move 3 of 8')
    expect(decimal(0.5, 2)).toBe('0.50')
  })
})
