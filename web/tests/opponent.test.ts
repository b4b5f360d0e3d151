// Moves of agents that the server asks this browser for.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Question } from '../src/api/types'
import { Opponent } from '../src/table/opponent'
import type { Standing } from '../src/table/table.svelte'

const ability = vi.hoisted(() => ({ canThink: true }))
const search = vi.hoisted(() => vi.fn())
const [stop, end] = vi.hoisted(() => [vi.fn(), vi.fn()])
vi.mock('../src/engine/ability', () => ({ canThink: () => ability.canThink }))
vi.mock('../src/engine/engine', () => ({
  Thinker: class {
    search = search
    stop = stop
    end = end
  },
}))

const question: Question = { type: 'consult', seq: 4, seat: 1, search: { kind: 'alphabeta', settings: { ms: 200 } } }
const actions = [{ text: 'a1', seat: 0, turn: 1, words: null }]
const now = { seq: 4, game: 'g', rules: {}, start: null, actions } as unknown as Standing
const answer = vi.fn()

beforeEach(() => {
  vi.resetAllMocks()
  ability.canThink = true
})

describe('an opponent in this browser', () => {
  it('answers with the best action of the search, about the position on the table', async () => {
    search.mockResolvedValue({ lines: [{ actions: ['b2', 'c3'] }, { actions: ['d4'] }] })
    const opponent = new Opponent(answer)
    await opponent.think(question, now)
    expect(search).toHaveBeenCalledWith({ game: 'g', rules: {}, start: null, actions, player: 1 }, question.search)
    expect(answer.mock.calls).toEqual([[{ type: 'advice', seq: 4, action: 'b2' }]])
    expect(opponent.thinks).toBe(true)
  })

  it('says so where it cannot, and is not offered to the server again', async () => {
    search.mockRejectedValue(new Error('no file'))
    const opponent = new Opponent(answer)
    await opponent.think(question, now)
    expect(answer.mock.calls).toEqual([[{ type: 'advice', seq: 4, action: null }]])
    expect(opponent.thinks).toBe(false)
  })

  it.each([{ ...now, seq: 3 }, null])('does not think about another position', async (standing) => {
    await new Opponent(answer).think(question, standing)
    expect(search).not.toHaveBeenCalled()
    expect(answer).toHaveBeenCalledWith({ type: 'advice', seq: 4, action: null })
  })

  it('keeps silent when the position has changed', async () => {
    search.mockImplementation(() => new Promise((_, reject) => stop.mockImplementation(() => reject(new Error('stopped')))))
    const opponent = new Opponent(answer)
    const thinking = opponent.think(question, now)
    await vi.waitFor(() => expect(search).toHaveBeenCalled())
    opponent.stop()
    await thinking
    expect(answer).not.toHaveBeenCalled()
    expect(opponent.thinks).toBe(true)
  })

  it('starts nothing for a question that was withdrawn while it loaded', async () => {
    const opponent = new Opponent(answer)
    const thinking = opponent.think(question, now)
    opponent.stop()
    await thinking
    expect(search).not.toHaveBeenCalled()
    expect(answer).not.toHaveBeenCalled()
  })

  it('keeps its worker from move to move, and ends it with the table', async () => {
    search.mockResolvedValue({ lines: [{ actions: ['b2'] }] })
    const opponent = new Opponent(answer)
    await opponent.think(question, now)
    await opponent.think({ ...question, seq: 6 }, { ...now, seq: 6 })
    expect(new Set(search.mock.contexts).size).toBe(1)
    expect(end).not.toHaveBeenCalled()
    opponent.end()
    expect(end).toHaveBeenCalled()
  })

  it('is no offer where the page was built without the core', () => {
    ability.canThink = false
    expect(new Opponent(answer).thinks).toBe(false)
  })
})
