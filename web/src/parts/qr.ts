// QR codes (ISO/IEC 18004) of short texts: byte mode, error correction level M, versions 1 to 10.

/** By version from 1: error correction codewords of a block, then how many blocks of how many data codewords. */
const BLOCKS: readonly (readonly [correction: number, ...groups: (readonly [count: number, data: number])[]])[] = [
  [10, [1, 16]],
  [16, [1, 28]],
  [26, [1, 44]],
  [18, [2, 32]],
  [24, [2, 43]],
  [16, [4, 27]],
  [18, [4, 31]],
  [22, [2, 38], [2, 39]],
  [22, [3, 36], [2, 37]],
  [26, [4, 43], [1, 44]],
]
const ALIGNMENT: readonly (readonly number[])[] = [
  [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
]
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]
const [FORMAT_GENERATOR, FORMAT_MASK, VERSION_GENERATOR] = [0x537, 0x5412, 0x1f25]

/** Rows of modules, true where dark; null where the text is too long. */
export function qrCode(text: string): boolean[][] | null {
  const bytes = [...new TextEncoder().encode(text)]
  const version = BLOCKS.findIndex((_, index) => bytes.length <= capacity(index + 1)) + 1
  if (version === 0) return null
  const words = interleaved(dataWords(bytes, version), version)
  const drawings = MASKS.map((_, mask) => drawn(words, version, mask))
  return drawings.reduce((best, one) => (penalty(one) < penalty(best) ? one : best))
}

function capacity(version: number): number {
  return dataCount(version) - (version < 10 ? 2 : 3)
}

function dataCount(version: number): number {
  const [, ...groups] = BLOCKS[version - 1]!
  return groups.reduce((sum, [count, data]) => sum + count * data, 0)
}

function dataWords(bytes: number[], version: number): number[] {
  const bits = [...binary(0b0100, 4), ...binary(bytes.length, version < 10 ? 8 : 16), ...bytes.flatMap((byte) => binary(byte, 8))]
  const room = dataCount(version) * 8
  bits.push(...Array<number>(Math.min(4, room - bits.length)).fill(0))
  while (bits.length % 8) bits.push(0)
  const words = Array.from({ length: bits.length / 8 }, (_, at) => number(bits.slice(8 * at, 8 * at + 8)))
  for (let filler = 0xec; words.length < dataCount(version); filler ^= 0xec ^ 0x11) words.push(filler)
  return words
}

/** First the data of all blocks, a word of each in turn, then their corrections likewise. */
function interleaved(words: number[], version: number): number[] {
  const [correction, ...groups] = BLOCKS[version - 1]!
  let at = 0
  const blocks = groups.flatMap(([count, data]) => Array.from({ length: count }, () => words.slice(at, (at += data))))
  const corrections = blocks.map((block) => correctionWords(block, correction))
  return [blocks, corrections].flatMap((parts) => {
    const longest = Math.max(...parts.map((part) => part.length))
    return Array.from({ length: longest }, (_, index) => parts.flatMap((part) => part[index] ?? [])).flat()
  })
}

// Reed-Solomon over GF(256) with the polynomial 0x11d

const POWERS: number[] = []
const LOGARITHMS: number[] = []
for (let power = 0, value = 1; power < 255; power++) {
  POWERS[power] = value
  LOGARITHMS[value] = power
  value = value << 1 ^ (value & 0x80 ? 0x11d : 0)
}

function product(one: number, other: number): number {
  return one && other ? POWERS[(LOGARITHMS[one]! + LOGARITHMS[other]!) % 255]! : 0
}

/** The remainder of the block's polynomial by the generator of this degree. */
export function correctionWords(block: number[], degree: number): number[] {
  let generator = [1]
  for (let power = 0; power < degree; power++)
    generator = [...generator, 0].map((value, index) => value ^ product(generator[index - 1] ?? 0, POWERS[power]!))
  const rest = [...block, ...Array<number>(degree).fill(0)]
  for (let at = 0; at < block.length; at++) {
    const factor = rest[at]!
    generator.forEach((value, index) => (rest[at + index]! ^= product(value, factor)))
  }
  return rest.slice(block.length)
}

// Drawing

type Module = boolean | null

function drawn(words: number[], version: number, mask: number): boolean[][] {
  const size = 17 + 4 * version
  const grid: Module[][] = Array.from({ length: size }, () => Array<Module>(size).fill(null))
  drawPatterns(grid, version)
  drawFormat(grid, mask)
  if (version >= 7) drawVersion(grid, version)
  drawWords(grid, words, MASKS[mask]!)
  return grid as boolean[][]
}

function drawPatterns(grid: Module[][], version: number): void {
  const last = grid.length - 7
  for (const [row, column] of [[0, 0], [0, last], [last, 0]] as const) drawFinder(grid, row, column)
  for (let at = 8; at < grid.length - 8; at++) grid[6]![at] = grid[at]![6] = at % 2 === 0
  const places = ALIGNMENT[version - 1]!
  for (const row of places)
    for (const column of places) if (grid[row]![column] === null || row === 6 !== (column === 6)) drawAlignment(grid, row, column)
  grid[grid.length - 8]![8] = true
}

function drawFinder(grid: Module[][], top: number, left: number): void {
  for (let row = -1; row <= 7; row++)
    for (let column = -1; column <= 7; column++) {
      const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3))
      const line = grid[top + row]
      if (line && left + column in line) line[left + column] = ring !== 2 && ring !== 4
    }
}

function drawAlignment(grid: Module[][], middle: number, centre: number): void {
  const edge = grid.length - 9
  const isOnFinder = (middle < 9 && centre < 9) || (middle < 9 && centre > edge) || (middle > edge && centre < 9)
  if (isOnFinder) return
  for (let row = -2; row <= 2; row++)
    for (let column = -2; column <= 2; column++)
      grid[middle + row]![centre + column] = Math.max(Math.abs(row), Math.abs(column)) !== 1
}

/** The mask and level M, twice. */
function drawFormat(grid: Module[][], mask: number): void {
  const bits = binary((mask << 10 | remainder(mask << 10, FORMAT_GENERATOR, 10)) ^ FORMAT_MASK, 15).map(Boolean)
  const size = grid.length
  const beside = [0, 1, 2, 3, 4, 5, 7, 8, 8, 8, 8, 8, 8, 8, 8]
  const down = [8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 4, 3, 2, 1, 0]
  bits.forEach((bit, index) => {
    grid[down[index]!]![beside[index]!] = bit
    if (index < 7) grid[size - 1 - index]![8] = bit
    else grid[8]![size - 15 + index] = bit
  })
}

function drawVersion(grid: Module[][], version: number): void {
  const bits = binary(version << 12 | remainder(version << 12, VERSION_GENERATOR, 12), 18).reverse().map(Boolean)
  bits.forEach((bit, index) => {
    const [near, far] = [Math.floor(index / 3), grid.length - 11 + (index % 3)]
    grid[near]![far] = grid[far]![near] = bit
  })
}

/** Upwards and downwards in columns of two, from the right; the timing column is left out. */
function drawWords(grid: Module[][], words: number[], isMasked: (row: number, column: number) => boolean): void {
  const bits = words.flatMap((word) => binary(word, 8))
  const size = grid.length
  let at = 0
  for (let right = size - 1, upwards = true; right > 0; right -= 2, upwards = !upwards) {
    if (right === 6) right--
    for (let step = 0; step < size; step++) {
      const row = upwards ? size - 1 - step : step
      for (const column of [right, right - 1])
        if (grid[row]![column] === null) grid[row]![column] = (bits[at++] === 1) !== isMasked(row, column)
    }
  }
}

/** How hard a drawing is to read: long runs, blocks, what looks like a finder, too much of one colour. */
function penalty(grid: boolean[][]): number {
  const lines = [...grid, ...grid.map((_, column) => grid.map((row) => row[column]!))].map((line) => line.map(Number).join(''))
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0)
  const finders = lines.reduce((sum, line) => sum + count(line, '10111010000') + count(line, '00001011101'), 0)
  let blocks = 0
  for (let row = 1; row < grid.length; row++)
    for (let column = 1; column < grid.length; column++) {
      const same = grid[row]![column]
      if (grid[row - 1]![column] === same && grid[row]![column - 1] === same && grid[row - 1]![column - 1] === same) blocks++
    }
  const dark = grid.flat().filter(Boolean).length / grid.length ** 2
  return runs + 3 * blocks + 40 * finders + 10 * Math.floor(Math.abs(dark * 100 - 50) / 5)
}

function count(line: string, pattern: string): number {
  let found = 0
  for (let at = line.indexOf(pattern); at >= 0; at = line.indexOf(pattern, at + 1)) found++
  return found
}

function binary(value: number, digits: number): number[] {
  return Array.from({ length: digits }, (_, index) => (value >> (digits - 1 - index)) & 1)
}

function number(bits: number[]): number {
  return bits.reduce((sum, bit) => 2 * sum + bit, 0)
}

function remainder(value: number, generator: number, degree: number): number {
  let rest = value
  for (let bit = 31 - Math.clz32(rest); bit >= degree; bit = 31 - Math.clz32(rest)) rest ^= generator << (bit - degree)
  return rest
}
