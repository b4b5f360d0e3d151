import { describe, expect, it } from 'vitest'
import type { Variant } from '../src/lab/api'
import { keyOf, parametersOf, sidesOf, wished, type Wish } from '../src/lab/variants'

function variant(rules: Record<string, number>, facts: Partial<Variant>): Variant {
  const changes = Object.entries(rules).map(([name, value]) => ({ name, label: name, value: String(value) }))
  return { changes, rules, advantage: 0, favoured: null, games: 10, screened: false, sides: ['White', 'Black'], ...facts } as Variant
}

const standing = variant({}, { advantage: 0.3, favoured: 0, games: 200 })
const fair = variant({ brown: 35 }, { advantage: 0.02, games: 100 })
const small = variant({ size: 3 }, { advantage: 0.4, favoured: 1, screened: true })
const large = variant({ size: 12 }, { advantage: 0.1, favoured: 0, screened: true })
const all = [standing, fair, small, large]
const usual: Wish = { order: 'fair', parameter: '', favoured: '', onlyFull: false }

describe('variants of rules', () => {
  it('come in the order that is wished', () => {
    expect(wished(all, usual)).toEqual([fair, large, standing, small])
    expect(wished(all, { ...usual, order: 'uneven' })).toEqual([small, standing, large, fair])
    expect(wished(all, { ...usual, order: 'rules' })).toEqual([standing, fair, small, large])
    expect(wished(all, { ...usual, order: 'games' })[0]).toBe(standing)
  })

  it('are chosen by what differs, by whom they favour and by how much was played', () => {
    expect(wished(all, { ...usual, parameter: 'size' })).toEqual([large, small])
    expect(wished(all, { ...usual, favoured: 'nobody' })).toEqual([fair])
    expect(wished(all, { ...usual, favoured: 'Black' })).toEqual([small])
    expect(wished(all, { ...usual, onlyFull: true })).toEqual([fair, standing])
  })

  it('name the parameters they change, once', () => {
    expect(parametersOf(all).map(({ name }) => name)).toEqual(['brown', 'size'])
    expect(keyOf(large)).toBe('size=12')
    expect(sidesOf([...all, variant({}, { sides: ['White', 'Red'] })])).toEqual(['White', 'Black', 'Red'])
  })
})
