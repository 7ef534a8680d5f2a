import { Readable } from 'node:stream'
import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import { type ExportFile, exportRows } from './exportRows.ts'
import type { OperatorActions } from './operatorActions.ts'
import { type BoardTime, daysOf } from './period.ts'

interface ExportRoutes {
  readonly pool: Pick<pg.Pool, 'connect'>
  readonly files: Readonly<Record<(typeof contract.TABLES)[number], ExportFile>>
  readonly actions: OperatorActions
  readonly time: BoardTime
}

/** Serves every table of the board as a CSV file. */
export function serveExports(serve: Serve, { pool, files, actions, time }: ExportRoutes): void {
  serve(contract.tableFile, async ({ params, query, ctx }) => {
    const name = contract.TABLES.find((table) => `${table}.csv` === params.table)
    if (!name) throw new Rejection('not_found', 'There is no such table.')
    const days = daysOf(query, time.today())
    await actions.record({ action: 'exported', detail: `${name} ${days.from} ${days.to}`, ip: ctx.ip })
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment(`kinora-${name}.csv`)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = Readable.from(exportRows(pool, files[name], days, time.timeZone))
    return undefined
  })
}
