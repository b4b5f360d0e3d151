// Files of game records: one as JSON, several as a list or line by line.

export interface GameRecord {
  game: string
  actions: string[]
  [field: string]: unknown
}

/** The records in a file, in their order; none where it is no such file. */
export function recordsIn(text: string): GameRecord[] {
  const whole = parsed(text)
  const found = whole === undefined ? text.split('\n').filter((line) => line.trim()).map(parsed) : [whole].flat()
  return found.every(isRecord) ? found : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is GameRecord {
  const record = value as Partial<GameRecord> | null | undefined
  return typeof record?.game === 'string' && Array.isArray(record.actions)
}
