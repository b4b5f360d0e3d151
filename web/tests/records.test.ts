import { expect, it } from 'vitest'
import { recordsIn } from '../src/table/records'

const one = { spielwerk: 1, game: 'a/b', actions: ['x'] }

it('finds every record of a file, however they are written', () => {
  expect(recordsIn(JSON.stringify(one, null, 1))).toEqual([one])
  expect(recordsIn(`${JSON.stringify(one)}\n${JSON.stringify({ ...one, game: 'c/d' })}\n`).map(({ game }) => game)).toEqual(['a/b', 'c/d'])
  expect(recordsIn(JSON.stringify([one, one, one])).length).toBe(3)
})

it('finds none where a file is something else', () => {
  for (const text of ['no record', '', '{}', '[1]', 'null', `${JSON.stringify(one)}\nand then`]) expect(recordsIn(text)).toEqual([])
})
