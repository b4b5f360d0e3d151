// One WebSocket to a table that comes back by itself and never loses or repeats what was sent.

import type { ClientMessage, ServerMessage } from './types'
import { Refusal } from './rest'

export type ConnectionState = 'connecting' | 'open' | 'lost' | 'gone'

export interface Listener {
  /** What to say first on every new connection. */
  hello(): Record<string, unknown>
  heard(message: ServerMessage): void
  changed(state: ConnectionState): void
}

interface Pending {
  message: ClientMessage & { id: string }
  resolve: () => void
  reject: (refusal: Refusal) => void
}

const FIRST_WAIT_MS = 400
const LONGEST_WAIT_MS = 15_000
const PING_MS = 20_000
const SILENCE_MS = 30_000
const NO_SUCH_TABLE = 4404

export class Connection {
  private socket: WebSocket | null = null
  private readonly pending = new Map<string, Pending>()
  private sent = 0
  private failures = 0
  private retry: ReturnType<typeof setTimeout> | undefined
  private heartbeat: ReturnType<typeof setInterval> | undefined
  private heardAt = 0
  private closed = false

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {
    addEventListener('online', this.connect)
    this.connect()
  }

  /** Resolves when the server has stored it, rejects with the server's reason. */
  send(message: ClientMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = String(++this.sent)
      const pending = { message: { ...message, id }, resolve, reject }
      this.pending.set(id, pending)
      this.write(pending.message)
    })
  }

  /**
   * After a new connection: what was not acknowledged is said again. That is safe: if it was stored after
   * all, its `seq` is stale now and the server refuses it.
   */
  resume(): void {
    for (const { message } of this.pending.values()) this.write(message)
  }

  /** Reconnects, with a new hello. */
  renew(): void {
    this.failures = 0
    this.socket?.close()
  }

  close(): void {
    this.closed = true
    clearTimeout(this.retry)
    clearInterval(this.heartbeat)
    removeEventListener('online', this.connect)
    this.socket?.close()
  }

  private readonly connect = (): void => {
    if (this.closed || (this.socket && this.socket.readyState <= WebSocket.OPEN)) return
    clearTimeout(this.retry)
    this.listener.changed(this.failures ? 'lost' : 'connecting')
    const socket = new WebSocket(this.url)
    this.socket = socket
    socket.onopen = () => {
      this.write({ type: 'hello', protocol: 1, ...this.listener.hello() })
      this.heardAt = Date.now()
      clearInterval(this.heartbeat)
      this.heartbeat = setInterval(() => this.beat(), PING_MS)
    }
    socket.onmessage = ({ data }) => this.receive(JSON.parse(String(data)) as ServerMessage)
    socket.onclose = ({ code }) => this.lost(code)
  }

  private receive(message: ServerMessage): void {
    this.heardAt = Date.now()
    if (message.type === 'ack') this.settle(message.id, (pending) => pending.resolve())
    else if (message.type === 'error') {
      const refusal = new Refusal(message.code, message.message)
      if (!message.id || !this.settle(message.id, (pending) => pending.reject(refusal))) this.listener.heard(message)
    } else if (message.type === 'closing') this.failures = 0
    else {
      if (message.type === 'snapshot') {
        this.failures = 0
        this.listener.changed('open')
      }
      this.listener.heard(message)
    }
  }

  private settle(id: string, end: (pending: Pending) => void): boolean {
    const pending = this.pending.get(id)
    if (!pending) return false
    this.pending.delete(id)
    end(pending)
    return true
  }

  private beat(): void {
    if (Date.now() - this.heardAt > SILENCE_MS) this.socket?.close()
    else this.write({ type: 'ping', id: 'ping' })
  }

  private write(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }

  private lost(code: number): void {
    clearInterval(this.heartbeat)
    this.socket = null
    if (this.closed) return
    if (code === NO_SUCH_TABLE) {
      this.close()
      this.listener.changed('gone')
      return
    }
    this.listener.changed('lost')
    this.retry = setTimeout(this.connect, waitAfter(this.failures++))
  }
}

/** Doubles from attempt to attempt, with some chance in it so that clients do not return all at once. */
export function waitAfter(failures: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
  return longest * (0.5 + Math.random() / 2)
}
