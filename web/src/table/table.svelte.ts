// One table as this browser sees it: what is true (the last snapshot and the events since) and what is shown.

import { Connection, type ConnectionState } from '../api/connection'
import { Refusal } from '../api/rest'
import type { ClientMessage, ServerMessage, Snapshot, TableEvent } from '../api/types'
import { motionMs } from '../board/motion'
import { applyDifference, pieceOf, withStatic, type Scene } from '../board/scene'
import { preferences, reducedMotion } from '../preferences.svelte'
import { keepOwner, keepTokens, ownerOf, tokensOf } from '../seats'
import { said, t } from '../texts'
import type { HeardClock } from './clock'
import { Opponent } from './opponent'
import { nameOfSeat } from './seats'

/** So that a person can follow when several events come at once. */
export const SHOW_MS = 260
/** A die that is not thrown by then falls by itself. */
export const THROW_MS = 2500
const HURRIED_MS = 120
const MOST_QUEUED = 12
const MOST_ANNOUNCED = 12

export interface Standing extends Omit<Snapshot, 'scene'> {
  scene: Scene
}

/** What is to be shown next, and the event it comes from. */
interface Step {
  standing: Standing
  kind: TableEvent['kind']
}

export class Table {
  /** What the server said last; commands refer to it. */
  now = $state.raw<Standing | null>(null)
  /** What people see, all of it: a moment behind while events are shown one by one. */
  shown = $state.raw<Standing | null>(null)
  /** For how long each event is shown; whoever only watches may choose it. */
  pace = $state(SHOW_MS)
  isPaused = $state(false)
  connection = $state<ConnectionState>('connecting')
  thinking = $state<number | null>(null)
  watchers = $state(0)
  /** The thinking time as the server sent it last. */
  clock = $state.raw<HeardClock | null>(null)
  /** Whether a die waits in the person's own hand. */
  mayThrow = $state(false)
  /** Told of everything that is shown. */
  onshown: (kind: TableEvent['kind'], standing: Standing) => void = () => {}
  /** A sentence about what just failed or happened, until the next deed. */
  notice = $state('')
  /** The latest sentences for the live region: a move and the dice after it arrive together, and both are said. */
  announced = $state.raw<{ seq: number; text: string }[]>([])

  private queue: Step[] = []
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly line: Connection
  // Advice that comes too late is refused, and the server has thought itself.
  private readonly opponent = new Opponent((advice) => void this.line.send(advice).catch(() => {}))

  constructor(readonly id: string) {
    const url = new URL(`/api/tables/${id}/socket`, location.href)
    url.protocol = url.protocol.replace('http', 'ws')
    this.line = new Connection(url.href, {
      hello: () => ({
        tokens: Object.values(tokensOf(id)),
        seq: this.now?.seq ?? 0,
        static: this.now?.scene.static.key ?? null,
        thinks: this.opponent.thinks,
      }),
      heard: (message) => this.hear(message),
      changed: (state) => (this.connection = state),
    })
  }

  get settled(): boolean {
    return this.now !== null && this.shown === this.now
  }

  /** Does something at the table; what the server objects becomes the notice. */
  async do(message: ClientMessage): Promise<boolean> {
    this.notice = ''
    try {
      await this.line.send(message)
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.notice = error.code === 'stale' ? t('table.stale') : said(error.said)
      return false
    }
  }

  /** After taking a seat: a new hello with the new token. */
  greetAgain(): void {
    this.line.renew()
  }

  /** Shows at once what is true now. */
  skip(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.mayThrow = false
    const last = this.queue.at(-1)
    this.queue = []
    this.shown = this.now
    if (last) this.onshown(last.kind, last.standing)
  }

  throwDie(): void {
    if (!this.mayThrow) return
    this.mayThrow = false
    clearTimeout(this.timer)
    this.showStep()
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused
    if (!isPaused && this.timer === undefined) this.showNext()
  }

  close(): void {
    clearTimeout(this.timer)
    this.opponent.end()
    this.line.close()
  }

  private hear(message: ServerMessage): void {
    switch (message.type) {
      case 'snapshot':
        this.begin(message)
        break
      case 'event':
        this.follow(message)
        break
      case 'thinking':
        this.thinking = message.seat
        break
      case 'consult':
        void this.opponent.think(message, this.now)
        break
      case 'presence':
        this.present(message.connected, message.watchers)
        break
      case 'error':
        this.notice = said(message.message)
    }
  }

  private begin(snapshot: Snapshot): void {
    const scene = withStatic(snapshot.scene, this.now?.scene.static ?? null)
    this.now = { ...snapshot, scene }
    this.clock = snapshot.clock && { times: snapshot.clock, heardAt: performance.now() }
    this.thinking = null
    this.opponent.stop()
    this.skip()
    this.line.resume()
  }

  private follow(event: TableEvent): void {
    const before = this.now
    if (!before || event.seq <= before.seq) return
    if (event.seq > before.seq + 1) return this.line.renew()
    this.opponent.stop()
    const scene = event.scene ? applyDifference(before.scene, event.scene) : before.scene
    this.announce(event, before)
    this.now = { ...before, ...changesOf(event), you: seatsKept(before, event), actions: actionsAfter(before, event), scene }
    if (event.kind === 'play' || event.kind === 'over' || event.kind === 'takeback') this.thinking = null
    if (event.clock) this.clock = { times: event.clock, heardAt: performance.now() }
    if (event.fallback) this.notice = t(event.fallback === 'clock' ? 'table.hurried' : 'table.chance')
    if (event.kind === 'offer' && event.declined) this.notice = t('table.offer.declined')
    if (event.table) this.inherit(event.table, event.tokens ?? {})
    this.tellSwap(event, before, this.now)
    this.enqueue({ standing: this.now, kind: event.kind })
  }

  /** The next table belongs to the same people. */
  private inherit(table: string, tokens: Record<string, string>): void {
    if (Object.keys(tokens).length) keepTokens(table, tokens)
    const owner = ownerOf(this.id)
    if (owner) keepOwner(table, owner)
  }

  private enqueue(step: Step): void {
    this.queue.push(step)
    const isChosen = this.isPaused || this.pace !== SHOW_MS
    if (!isChosen && this.queue.length > MOST_QUEUED) this.queue.splice(0, this.queue.length - 1)
    if (this.timer === undefined) this.showNext()
  }

  private showNext(): void {
    this.timer = undefined
    const next = this.isPaused ? undefined : this.queue[0]
    if (!next) return
    if (!this.isOwnDie(next)) return this.showStep()
    this.mayThrow = true
    this.timer = setTimeout(() => this.throwDie(), THROW_MS)
  }

  private isOwnDie({ kind, standing: { player, you } }: Step): boolean {
    return kind === 'dice' && preferences.throwsDice && player !== null && you.includes(player)
  }

  private showStep(): void {
    this.timer = undefined
    const step = this.queue.shift()
    if (!step) return
    const { standing, kind } = step
    const before = this.shown?.scene
    this.shown = standing
    this.onshown(kind, standing)
    if (before === standing.scene) return this.showNext()
    const waits = before && !reducedMotion.current && this.pace === SHOW_MS
    const motion = waits ? motionMs(before, standing.scene) : 0
    this.timer = setTimeout(() => this.showNext(), this.isOwnTimeRunning ? HURRIED_MS : Math.max(this.pace, motion))
  }

  /** Whoever looks on at their own expense wants to be done soon; days are long enough. */
  private get isOwnTimeRunning(): boolean {
    const times = this.clock?.times
    return times?.running != null && times.pace !== 'days' && (this.now?.you.includes(times.running) ?? false)
  }

  private present(connected: boolean[], watchers: number): void {
    this.watchers = watchers
    const updated = (standing: Standing): Standing => ({
      ...standing,
      seats: standing.seats.map((seat, index) => ({ ...seat, connected: connected[index] ?? seat.connected })),
    })
    if (!this.now || !this.shown) return
    const isSettled = this.settled
    this.queue = this.queue.map(({ standing, kind }) => ({ standing: updated(standing), kind }))
    this.now = this.queue.at(-1)?.standing ?? updated(this.now)
    this.shown = isSettled ? this.now : updated(this.shown)
  }

  /** Whoever suddenly plays other pieces should not have to find that out from the board. */
  private tellSwap(event: TableEvent, before: Standing, after: Standing): void {
    const [mine] = after.you.length ? after.you : [0]
    const [old, piece] = [pieceOf(before.scene, mine!), pieceOf(after.scene, mine!)]
    if (event.kind !== 'play' || event.seat == null || !old || !piece || old.symbol === piece.symbol) return
    const values = { name: nameOfSeat(before.seats, event.seat), colour: said(piece.name) }
    this.notice = t(after.you.length === 1 ? 'table.swapped.you' : 'table.swapped', values)
  }

  private announce(event: TableEvent, before: Standing): void {
    const name = event.seat == null ? '' : nameOfSeat(before.seats, event.seat)
    const text = event.text ?? ''
    const label = before.scene.hits.find((hit) => hit.action === text)?.label
    const sentences: Partial<Record<TableEvent['kind'], string>> = {
      play: t('announce.play', { name, text: event.words ? said(event.words) : label ? said(label) : text }),
      dice: t('announce.dice', { text: text.replace(/^d/, '') }),
      takeback: t('announce.takeback'),
      join: t('announce.join'),
      resign: t('announce.resign', { name }),
      flag: t('announce.flag', { name }),
      over: event.result ? said(event.result.text) : t('table.over'),
    }
    const sentence = sentences[event.kind]
    if (sentence) this.announced = [...this.announced, { seq: event.seq, text: sentence }].slice(-MOST_ANNOUNCED)
  }
}

function changesOf(event: TableEvent): Partial<Standing> {
  const { seq, ply, status, player, can, offers, seats, result, match, table } = event
  const changes = { seq, ply, status, player, can, offers, seats, result, match, next: table }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

/** Where several play, an agent takes the seat of whoever resigns or runs out of time. */
function seatsKept(before: Standing, event: TableEvent): number[] {
  const seats = event.seats ?? before.seats
  return before.you.filter((seat) => seats[seat]?.kind !== 'agent')
}

function actionsAfter(before: Standing, event: TableEvent): Standing['actions'] {
  if (event.kind === 'takeback') return before.actions.slice(0, event.ply)
  if ((event.kind !== 'play' && event.kind !== 'dice') || event.text == null) return before.actions
  const seat = event.kind === 'dice' ? null : (event.seat ?? null)
  return [...before.actions, { text: event.text, seat, turn: event.turn ?? 0, words: event.words ?? null }]
}
