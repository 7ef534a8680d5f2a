import pg from 'pg'

/** Counts of SQL statements by their text. */
export type Statements = ReadonlyMap<string, number>

/** Counts every statement that this process sends to PostgreSQL from now on, through pools and the ORM. */
export function countStatements() {
  const counts = new Map<string, number>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string } | undefined]
    const text = (typeof first === 'string' ? first : first?.text) ?? 'unknown'
    counts.set(text, (counts.get(text) ?? 0) + 1)
    return Reflect.apply(query, this, args)
  } as typeof query
  return {
    /** Returns the counts since the last call. */
    take(): Statements {
      // Not for each statement: what counts them must not cost what it measures.
      const taken = new Map<string, number>()
      for (const [text, count] of counts) taken.set(nameOf(text), (taken.get(nameOf(text)) ?? 0) + count)
      counts.clear()
      return taken
    },
    stop() {
      pg.Client.prototype.query = query
    },
  }
}

/** Returns a short text that statements of one kind share. */
const nameOf = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 100)
