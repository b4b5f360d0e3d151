import { describe, expect, it } from 'vitest'
import { correctionWords, qrCode } from '../src/parts/qr'

/** What a reader does, written from the standard and not from the writer: levels M, byte mode. */
const DATA = [16, 28, 44, 64, 86, 108, 124, 154, 182, 216]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5]

function read(code: boolean[][]): string {
  const size = code.length
  const version = (size - 17) / 4
  const format = Array.from({ length: 6 }, (_, column) => Number(code[8]![column]))
  const mask = parseInt(format.slice(2, 5).map((bit, index) => bit ^ [1, 0, 1][index]!).join(''), 2)
  expect(format.slice(0, 2), 'level M').toEqual([1, 0])
  const bits: number[] = []
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++)
      for (const column of [right, right - 1]) {
        const row = isUp ? size - 1 - step : step
        if (!isFunction(row, column, version)) bits.push(Number(code[row]![column]) ^ Number(isMasked(mask, row, column)))
      }
    isUp = !isUp
  }
  const words = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) => parseInt(bits.slice(8 * at, 8 * at + 8).join(''), 2))
  const [data, blocks] = [DATA[version - 1]!, BLOCKS[version - 1]!]
  const short = Math.floor(data / blocks)
  const longer = data - short * blocks
  const parts = Array.from({ length: blocks }, (_, block) => {
    const own = Array.from({ length: short }, (_, index) => words[index * blocks + block]!)
    if (block >= blocks - longer) own.push(words[short * blocks + block - (blocks - longer)]!)
    return own
  })
  const correction = (words.length - data) / blocks
  parts.forEach((part, block) => {
    const own = Array.from({ length: Math.floor(correction) }, (_, index) => words[data + index * blocks + block]!)
    expect(correctionWords(part, own.length), 'correction').toEqual(own)
  })
  const stream = parts.flat().flatMap((word) => [...word.toString(2).padStart(8, '0')])
  const header = version < 10 ? 12 : 20
  expect(stream.slice(0, 4).join('')).toBe('0100')
  const length = parseInt(stream.slice(4, header).join(''), 2)
  const bytes = Array.from({ length }, (_, at) => parseInt(stream.slice(header + 8 * at, header + 8 * at + 8).join(''), 2))
  return new TextDecoder().decode(new Uint8Array(bytes))
}

function isMasked(mask: number, i: number, j: number): boolean {
  const rules = [
    (i + j) % 2, i % 2, j % 3, (i + j) % 3, (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
    ((i * j) % 2) + ((i * j) % 3), (((i * j) % 2) + ((i * j) % 3)) % 2, (((i + j) % 2) + ((i * j) % 3)) % 2,
  ]
  return rules[mask] === 0
}

function isFunction(row: number, column: number, version: number): boolean {
  const size = 17 + 4 * version
  if (row === 6 || column === 6) return true
  if (row < 9 && (column < 9 || column >= size - 8)) return true
  if (row >= size - 8 && column < 9) return true
  if (version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return true
  const between: Record<number, number> = { 7: 22, 8: 24, 9: 26, 10: 28 }
  const centres = version === 1 ? [] : [6, between[version] ?? 0, size - 7].filter(Boolean)
  return centres.some((y) =>
    centres.some((x) => {
      const isFinder = (y === 6 && x === 6) || (y === 6 && x === size - 7) || (y === size - 7 && x === 6)
      return !isFinder && Math.abs(row - y) <= 2 && Math.abs(column - x) <= 2
    }),
  )
}

describe('a QR code', () => {
  it('corrects errors as the standard\'s worked example does', () => {
    const block = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
    expect(correctionWords(block, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
  })

  it('is read again, whatever its length', () => {
    const link = 'http://192.168.178.20:8765/t/abcdefgh#invite=Zm9vYmFyMTIzNDU2Nzg5-'
    for (const length of [7, 14, 20, 40, 60, 80, 100, 120, 150, 175, 200, 213]) {
      const text = length === 40 ? 'Grüße aus Köln' : link.repeat(5).slice(0, length)
      const code = qrCode(text)!
      expect(read(code), String(length)).toBe(text)
    }
  })

  it('has its patterns: three finders, timing, a version where it is large', () => {
    const code = qrCode('x'.repeat(115))!
    expect(code.length).toBe(45)
    for (const [row, column] of [[3, 3], [3, 41], [41, 3]] as const) expect(code[row]![column]).toBe(true)
    expect(code[6]!.slice(8, 14)).toEqual([true, false, true, false, true, false])
    const bits = Array.from({ length: 18 }, (_, index) => Number(code[Math.floor(index / 3)]![34 + (index % 3)]))
    expect(bits.reverse().join('')).toBe('000111110010010100')
  })

  it('knows what is too long', () => {
    expect(qrCode('x'.repeat(214))).toBeNull()
  })
})
