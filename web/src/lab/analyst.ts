// Who thinks along: this browser where it can, else the server. The connection to the server opens when it is asked something
// and closes with the page.

import type { components } from '../api/schema'
import type { Rules, Search } from '../api/types'
import type { Label } from '../board/scene'
import type { Study } from '../engine/study'
import type { Reviewed, Thought } from './api'

export interface Question {
  game: string
  rules: Rules
  position: string
  levels: string[]
  proof: boolean
}

/** What is asked where this browser can think for itself: whose turn it is, and what each level does. */
export interface Searches {
  player: number
  searches: (Search | null)[]
}

export interface GameQuestion {
  game: string
  rules: Rules
  start?: string
  actions: string[]
  level: string
}

export interface Listener {
  thought?(thought: Thought): void
  reviewed?(review: Reviewed): void
  refused(said: Label): void
  lost(): void
}

type Message = Thought | Reviewed | components['schemas']['Error'] | { type: 'pong' }

export class Analyst {
  private socket: WebSocket | null = null
  private asked = 0
  private question: { type: string; id: number } | null = null
  private study: Study | null = null

  constructor(private readonly listener: Listener) {}

  /** Asks about a position; answers to what was asked before are no longer heard. */
  async ask(question: Question, here: Searches): Promise<void> {
    const id = ++this.asked
    this.question = null
    try {
      await this.askHere(id, question, here)
    } catch {
      if (id !== this.asked) return
      this.study?.stop()
      this.begin({ type: 'think', ...question })
    }
  }

  /** Fails where one of those asked cannot think here. */
  private async askHere(id: number, { game, rules, position, proof }: Question, { player, searches }: Searches): Promise<void> {
    const known = searches.filter((search) => search !== null)
    if (known.length < searches.length) throw new Error('one of those asked thinks on the server only')
    const { Study } = await import('../engine/study')
    if (id !== this.asked) return
    this.study ??= new Study()
    await this.study.begin({ game, rules, start: position, actions: [], player }, known, proof, (said) => {
      if (id === this.asked) this.listener.thought?.({ type: 'thought', id, ...said })
    })
  }

  /** Asks about every ply of a game. */
  review(question: GameQuestion): void {
    this.begin({ type: 'review', ...question })
  }

  private begin(question: { type: string }): void {
    this.question = { ...question, id: ++this.asked }
    this.connect()
    this.send(this.question)
  }

  stop(): void {
    this.asked++
    this.study?.stop()
    if (this.question) this.send({ type: 'stop' })
    this.question = null
  }

  close(): void {
    this.asked++
    this.study?.end()
    this.question = null
    const { socket } = this
    this.socket = null
    socket?.close()
  }

  private connect(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return
    const url = new URL('/api/analysis', location.href)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url)
    this.socket = socket
    socket.onopen = () => this.question && this.send(this.question)
    socket.onmessage = ({ data }) => this.hear(JSON.parse(String(data)) as Message)
    socket.onclose = () => {
      if (this.socket !== socket) return
      this.socket = null
      if (this.question) this.listener.lost()
    }
  }

  private hear(message: Message): void {
    if (message.type === 'pong' || !this.question || message.id !== this.question.id) return
    if (message.type === 'thought') this.listener.thought?.(message)
    else if (message.type === 'reviewed') this.listener.reviewed?.(message)
    else this.listener.refused(message.message)
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }
}
