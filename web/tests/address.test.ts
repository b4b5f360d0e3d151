import { describe, expect, it } from 'vitest'
import type { Game } from '../src/api/types'
import { addressOf, setupIn } from '../src/lab/address'

const games = [
  {
    name: 'ludo/ffa',
    seats: ['Green', 'Yellow', 'Blue', 'Red'],
    parameters: [
      { name: 'ranking', kind: 'bool' },
      { name: 'players', kind: 'int' },
      { name: 'colours', kind: 'text' },
    ],
  },
] as unknown as Game[]

describe('the address of an analysis', () => {
  it('holds the rules and the position', () => {
    const setup = { game: 'ludo/ffa', rules: { ranking: true, players: 2, colours: 'green,red' }, start: null }
    const text = 'G=y,y,0,1 R!=f,h2,4,4 turn=R die=- sixes=00 plies=3 order=-'
    const address = new URL(addressOf(setup, text), 'http://localhost')
    expect(setupIn(address.hash, games)).toEqual({ ...setup, start: text, computer: [] })
  })

  it('holds the seats that the computer plays, and no others', () => {
    const setup = { game: 'ludo/ffa', rules: {}, start: null }
    const address = new URL(addressOf(setup, null, [1, 3]), 'http://localhost')
    expect(setupIn(address.hash, games)).toEqual({ ...setup, computer: [1, 3] })
    expect(setupIn('#game=ludo/ffa&computer=', games)).toEqual({ ...setup, computer: [] })
    expect(setupIn('#game=ludo/ffa&computer=0,7,x', games)).toEqual({ ...setup, computer: [0] })
  })

  it('may name a table and a ply', () => {
    expect(setupIn('#table=abc&ply=7', games)).toEqual({ table: 'abc', ply: 7 })
    expect(setupIn('#table=abc&ply=x', games)).toEqual({ table: 'abc', ply: null })
  })

  it('is nothing where there is no such game', () => {
    expect(setupIn('#game=chess', games)).toBeNull()
    expect(setupIn('#', games)).toBeNull()
  })
})
