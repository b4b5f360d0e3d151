// Calls over HTTP. Whatever goes wrong becomes a Refusal with a sentence for people.

import type { Label } from '../board/scene'
import { keepOwner } from '../seats'
import { t } from '../texts'
import type {
  Demo,
  Game,
  Hint,
  Info,
  Lesson,
  Level,
  Opened,
  Opening,
  PlyPicture,
  Rules,
  SeatChoice,
  Snapshot,
  Start,
  TableSummary,
} from './types'

export class Refusal extends Error {
  constructor(
    readonly code: string,
    readonly said: Label,
  ) {
    super(typeof said === 'string' ? said : said.en)
  }
}

export const api = {
  info: () => get<Info>('/api/info'),
  games: remembered(() => get<Game[]>('/api/games')),
  levels: (game: string, rules: Rules) => get<Level[]>(`/api/levels?${query({ game, ...rules })}`),
  start: (game: string, rules: Rules) => get<Start>(`/api/games/${game}/scene?${query(rules)}`),
  demo: (game: string) => get<Demo>(`/api/games/${game}/demo`),
  lesson: (family: string) => get<Lesson>(`/api/lessons/${family}`),
  rules: (language: string, game: string) => get<{ title: string; html: string }>(`/api/rules/${language}/${game}`),
  tables: (filter: { state: string; limit?: number; before?: string }) =>
    get<TableSummary[]>(`/api/tables?${query(filter)}`),
  named: (ids: string[]) => get<TableSummary[]>(`/api/tables/named?${ids.map((id) => query({ id })).join('&')}`),
  table: (id: string) => get<Snapshot>(`/api/tables/${id}`),
  picture: (id: string, ply: number, known?: string, hits?: true) =>
    get<PlyPicture>(`/api/tables/${id}/plies/${ply}?${query({ static: known, hits })}`),
  record: (id: string) => get<Record<string, unknown>>(`/api/tables/${id}/record`),
  open: (opening: Opening) => owned(post<Opened>('/api/tables', opening)),
  delete: (id: string, owner: string) => call<void>(`/api/tables/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${owner}` } }),
  takeSeat: (id: string, body: { seat?: number; name?: string; invite?: string }) =>
    post<{ seat: number; token: string }>(`/api/tables/${id}/seats`, body),
  hint: (id: string, body: { level: string; ply?: number }, until: AbortSignal) =>
    post<Hint>(`/api/tables/${id}/hint`, body, until),
  upload: (record: unknown) => owned(post<{ id: string; owner: string }>('/api/records', record)),
  playOn: (id: string, body: { ply: number; seats: SeatChoice[]; public: boolean; hotseat: boolean }) =>
    owned(post<Opened>(`/api/tables/${id}/continue`, body)),
}

/** Whoever opens a table may delete it later. */
async function owned<Answer extends { id: string; owner: string }>(opening: Promise<Answer>): Promise<Answer> {
  const opened = await opening
  keepOwner(opened.id, opened.owner)
  return opened
}

/** A file to keep, such as a picture. */
export async function fileAt(path: string): Promise<Blob> {
  const response = await fetch(path).catch(() => null)
  if (!response) throw new Refusal('offline', t('error.offline'))
  if (!response.ok) throw refusalIn(response, await response.json().catch(() => null))
  return response.blob()
}

export function get<Answer>(path: string): Promise<Answer> {
  return call<Answer>(path, {})
}

export function post<Answer>(path: string, body: unknown, signal: AbortSignal | null = null): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return call<Answer>(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(path, init)
  } catch {
    throw new Refusal('offline', t('error.offline'))
  }
  if (response.status === 204) return undefined as Answer
  const body: unknown = await response.json().catch(() => null)
  if (response.ok && body !== null) return body as Answer
  throw refusalIn(response, body)
}

function refusalIn(response: Response, body: unknown): Refusal {
  const error = (body as { error?: { code: string; message: Label } } | null)?.error
  return new Refusal(error?.code ?? String(response.status), error?.message ?? t('error.server'))
}

function query(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}

/** Asks once; a failure is not remembered. */
function remembered<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = null
      throw error
    })
    return answer
  }
}
