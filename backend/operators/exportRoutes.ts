import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type pg from 'pg'
import type { DayRange } from '../kernel/days.ts'
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

/** Tables with mail or network addresses of users. */
const PERSONAL: ReadonlySet<string> = new Set(['users', 'visits'])
const ROWS_PER_FETCH = 2_000

interface ExportRoutes {
  readonly pool: Pick<pg.Pool, 'connect'>
  readonly files: Readonly<Record<(typeof contract.TABLES)[number], ExportFile>>
  readonly actions: OperatorActions
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly time: BoardTime
}

/** Serves every dashboard table as a CSV file. */
export function serveExports(serve: Serve, { pool, files, actions, requireStepUp, time }: ExportRoutes): void {
  serve(contract.tableFile, async ({ params, query, ctx }) => {
    const name = contract.TABLES.find((table) => `${table}.csv` === params.table)
    if (!name) throw new Rejection('not_found', 'There is no such table.')
    if (PERSONAL.has(name)) await requireStepUp(ctx)
    const days = daysOf(query, time.today())
    await actions.record({ action: 'exported', detail: `${name} ${days.from} ${days.to}`, ip: ctx.ip })
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment(`kinora-${name}.csv`)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = Readable.from(exportRows(pool, files[name], days, time.timeZone))
    return undefined
  })
}

/** Yields the lines of a CSV file, read with a cursor from one snapshot. */
async function* exportRows(
  pool: Pick<pg.Pool, 'connect'>,
  { columns, sql }: ExportFile,
  { from, to }: DayRange,
  timeZone: string,
): AsyncGenerator<string> {
  yield csvLine(columns)
  // Postgres rejects values for parameters that a query does not have.
  const parameters = Math.max(0, ...Array.from(sql.matchAll(/\$(\d)/g), ([, number]) => Number(number)))
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(`declare lines no scroll cursor for ${sql}`, [from, to, timeZone].slice(0, parameters))
    for (;;) {
      const { rows } = await client.query<CsvValue[]>({ text: `fetch ${ROWS_PER_FETCH} from lines`, rowMode: 'array' })
      if (rows.length === 0) return
      yield rows.map(csvLine).join('')
    }
  } finally {
    // Also runs if the client disconnects midway.
    await client.query('rollback').then(
      () => client.release(),
      (error) => client.release(error),
    )
  }
}
