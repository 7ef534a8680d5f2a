import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type CsvValue, csvLine } from '../kernel/http/csv.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'
import { type BoardTime, daysOf } from './period.ts'

/**
 * A dashboard table as a CSV file. The query may use $1 and $2, the first and last day, and $3, the operator's time
 * zone.
 */
export type ExportFile = Readonly<{ columns: readonly string[]; sql: string }>

/** Tables with mail or network addresses, or with who paid what. */
const PERSONAL: ReadonlySet<string> = new Set(['users', 'visits', 'actions', 'sales'])
const ROWS_PER_FETCH = 2_000
/** Exports in progress in this process. Each has one of its twelve connections. */
const MAX_RUNNING = 4
/** How long a reader may take nothing, and how long it may take in total. */
const READER = { stallMs: 5 * 60_000, totalMs: 60 * 60_000 }

interface ExportRoutes {
  readonly pool: Pick<pg.Pool, 'connect'>
  readonly files: Readonly<Record<(typeof contract.TABLES)[number], ExportFile>>
  readonly actions: OperatorActions
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly time: BoardTime
  readonly reader?: typeof READER
}

/** Serves every dashboard table as a CSV file. */
export function serveExports(
  serve: Serve,
  { pool, files, actions, requireStepUp, time, reader = READER }: ExportRoutes,
): void {
  const start = createExports(pool, reader)
  serve(contract.tableFile, async ({ params, query, ctx }) => {
    const name = contract.TABLES.find((table) => `${table}.csv` === params.table)
    if (!name) throw new Rejection('not_found', 'There is no such table.')
    if (PERSONAL.has(name)) await requireStepUp(ctx)
    const days = daysOf(query, time.today())
    ctx.body = start(files[name], [days.from, days.to, time.timeZone])
    await actions.record({ action: 'exported', detail: `${name} ${days.from} ${days.to}`, ctx })
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment(`kinora-${name}.csv`)
    return undefined
  })
}

/** Returns a function that starts an export. The reader's limits free its connection and its snapshot. */
function createExports(pool: Pick<pg.Pool, 'connect'>, { stallMs, totalMs }: typeof READER) {
  let running = 0

  /** @throws Rejection unavailable */
  return (file: ExportFile, parameters: readonly string[]): Readable => {
    if (running >= MAX_RUNNING)
      throw new Rejection('unavailable', 'Other exports are being downloaded. Please try again when they are done.', {
        retryAfter: 60,
      })
    running += 1
    const stall = setTimeout(() => body.destroy(), stallMs)
    const total = setTimeout(() => body.destroy(), totalMs)
    const body = Readable.from(exportRows(pool, file, { parameters, stallMs, onRead: () => stall.refresh() }))
    return body.once('close', () => {
      running -= 1
      clearTimeout(stall)
      clearTimeout(total)
    })
  }
}

interface Reading {
  /** Values of $1 and following. */
  readonly parameters: readonly string[]
  readonly stallMs: number
  /** Called whenever the reader wants more. */
  readonly onRead: () => void
}

/** Yields the lines of a CSV file, read with a cursor from one snapshot. */
async function* exportRows(
  pool: Pick<pg.Pool, 'connect'>,
  { columns, sql }: ExportFile,
  { parameters, stallMs, onRead }: Reading,
): AsyncGenerator<string> {
  yield csvLine(columns)
  // Postgres rejects values for parameters that a query does not have.
  const used = Math.max(0, ...Array.from(sql.matchAll(/\$(\d)/g), ([, number]) => Number(number)))
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    // Longer than the reader's limit. The default of a connection ends the transaction after eight seconds.
    await client.query(`set local idle_in_transaction_session_timeout = ${2 * stallMs}`)
    await client.query(`declare lines no scroll cursor for ${sql}`, parameters.slice(0, used))
    for (;;) {
      const { rows } = await client.query<CsvValue[]>({ text: `fetch ${ROWS_PER_FETCH} from lines`, rowMode: 'array' })
      if (rows.length === 0) return
      yield rows.map(csvLine).join('')
      onRead()
    }
  } finally {
    // Also runs if the client disconnects midway.
    await client.query('rollback').then(
      () => client.release(),
      (error) => client.release(error),
    )
  }
}
