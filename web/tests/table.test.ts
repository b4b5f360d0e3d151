import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitAfter } from '../src/api/connection'
import { Table } from '../src/table/table.svelte'
import fixture from './differences.json'

/** A server at the other end of the line. */
class FakeSocket {
  static readonly OPEN = 1
  static all: FakeSocket[] = []
  readyState = 0
  sent: Record<string, unknown>[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null

  constructor() {
    FakeSocket.all.push(this)
  }
  open(): void {
    this.readyState = 1
    this.onopen?.()
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }
  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
  close(code = 1006): void {
    this.readyState = 3
    this.onclose?.({ code })
  }
}

const seat = { kind: 'human', name: null, label: 'White', level: null, level_title: null, team: null, connected: true }
const snapshot = {
  type: 'snapshot', id: 'x', game: 'g', rules: {}, public: false, hotseat: false, start: null, next: null, origin: null,
  created: '', seq: 1, ply: 0, status: 'running', player: 0, can: ['play'], offers: [], seats: [seat, seat],
  result: null, you: [0], actions: [], scene: fixture.first,
}
const event = (seq: number, step: number, extra: object = {}) => ({
  type: 'event', kind: 'play', seq, ply: step + 1, seat: 0, text: fixture.steps[step]!.action, turn: 1,
  status: 'running', player: 0, can: ['play'], offers: [], scene: fixture.steps[step]!.difference, ...extra,
})

let table: Table
const line = () => FakeSocket.all.at(-1)!

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.all = []
  table = new Table('x')
  line().open()
  line().say(snapshot)
})
afterEach(() => {
  table.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('follows events, and shows them one after the other', () => {
  line().say(event(2, 0))
  line().say(event(3, 1))
  expect(table.now).toMatchObject({ seq: 3, ply: 2, actions: [{ text: 'b2' }, { text: '@a1' }] })
  expect(table.settled).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(table.settled).toBe(true)
  expect(table.shown?.scene.layers).toEqual(fixture.steps[1]!.expected.layers)
})

it('tells whose turn it is and who won together with the picture of that moment', () => {
  const result = { winner: [0], points: [0, 0], returns: [1, -1], reason: 'stuck', truncated: false, text: 'White wins' }
  line().say(event(2, 0, { player: 1, can: [] }))
  line().say(event(3, 1, { player: 0 }))
  line().say({ ...event(4, 1), kind: 'over', status: 'over', player: null, can: ['rematch'], result, scene: undefined })
  expect(table.shown).toMatchObject({ ply: 1, player: 1, result: null })
  vi.advanceTimersByTime(270)
  expect(table.shown).toMatchObject({ ply: 2, player: 0, result: null })
  vi.advanceTimersByTime(270)
  expect(table.shown).toMatchObject({ status: 'over', result })
  expect(table.settled).toBe(true)
})

it('shows at once what is true when the person has seen enough', () => {
  line().say(event(2, 0))
  line().say(event(3, 1))
  table.skip()
  expect(table.shown).toBe(table.now)
})

it('keeps every move for those who pause, and goes on where they stopped', () => {
  table.pause(true)
  line().say(event(2, 0))
  line().say(event(3, 1))
  line().say({ type: 'presence', connected: [true, false], watchers: 2 })
  vi.advanceTimersByTime(5000)
  expect(table.shown).toMatchObject({ ply: 0, seats: [{ connected: true }, { connected: false }] })
  table.pause(false)
  expect(table.shown).toMatchObject({ ply: 1 })
  vi.advanceTimersByTime(1000)
  expect(table.settled).toBe(true)
})

it('forgets actions that are taken back', () => {
  line().say(event(2, 0))
  line().say({ ...event(3, 1), kind: 'takeback', ply: 0, text: undefined, scene: fixture.first })
  expect(table.now?.actions).toEqual([])
})

it('announces moves and dice', () => {
  line().say(event(2, 0))
  line().say({ ...event(3, 1), kind: 'dice', text: 'd5', seat: null })
  expect(table.announced.map(({ text }) => text)).toEqual(['White: jump to b2', 'Die: 5'])
})

it('says why something was refused', async () => {
  const done = table.do({ type: 'play', seq: 1, action: 'z9' })
  line().say({ type: 'error', id: line().sent.at(-1)!.id, code: 'illegal', message: 'no such square' })
  expect(await done).toBe(false)
  expect(table.notice).toBe('no such square')
})

it('tells the server where it cannot think for an agent, and nobody else', async () => {
  line().say({ type: 'consult', seq: 1, seat: 1, search: { kind: 'greedy', settings: {} } })
  await vi.waitFor(() => expect(line().sent.at(-1)).toMatchObject({ type: 'advice', seq: 1, action: null }))
  line().say({ type: 'error', id: line().sent.at(-1)!.id, code: 'stale', message: 'too late' })
  await vi.advanceTimersByTimeAsync(0)
  expect(table.notice).toBe('')
})

it('comes back by itself and repeats what was not acknowledged, once', async () => {
  const done = table.do({ type: 'play', seq: 1, action: 'b2' })
  line().close()
  expect(table.connection).toBe('lost')
  vi.advanceTimersByTime(1000)
  expect(FakeSocket.all.length).toBe(2)
  line().open()
  expect(line().sent[0]).toMatchObject({ type: 'hello', protocol: 1, seq: 1, static: fixture.first.static.key })
  line().say({ ...snapshot, scene: { ...fixture.first, static: fixture.first.static.key } })
  expect(table.connection).toBe('open')
  expect(line().sent.filter((message) => message.type === 'play')).toMatchObject([{ seq: 1, action: 'b2' }])
  line().say({ type: 'ack', id: line().sent.at(-1)!.id, seq: 2 })
  expect(await done).toBe(true)
})

it('asks again where an event is missing', () => {
  line().say(event(5, 0))
  expect(table.connection).toBe('lost')
  vi.advanceTimersByTime(1000)
  expect(FakeSocket.all.length).toBe(2)
})

it('gives up on tables that do not exist', () => {
  line().close(4404)
  vi.advanceTimersByTime(60_000)
  expect(table.connection).toBe('gone')
  expect(FakeSocket.all.length).toBe(1)
})

it('waits longer after every failure, within bounds', () => {
  expect(waitAfter(0)).toBeLessThanOrEqual(400)
  expect(waitAfter(3)).toBeGreaterThan(1000)
  expect(waitAfter(50)).toBeLessThanOrEqual(15_000)
})
