import { Readable } from 'node:stream'
import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'
import { daysOf } from './period.ts'
import { type TableName, tableLines } from './tableFiles.ts'

export interface TableRoutes {
  readonly pool: pg.Pool
  readonly operatorActions: OperatorActions
  readonly dayOf: (at: number) => string
  readonly timeZone: string
  readonly now: () => number
}

/** Every table of the board as a file. */
export function serveTables(serve: Serve, { pool, operatorActions, dayOf, timeZone, now }: TableRoutes): void {
  serve(contract.tableFile, async ({ params, query, ctx }) => {
    const name = /^(\w+)\.csv$/.exec(params.table)?.[1] as TableName
    if (!contract.TABLES.includes(name)) throw new Rejection('not_found', 'There is no such table.')
    const days = daysOf(query, dayOf(now()))
    await operatorActions.note({ action: 'exported', detail: `${name} ${days.from} ${days.to}`, ip: ctx.ip })
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment(`kinora-${name}.csv`)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = Readable.from(tableLines(pool, name, days, timeZone))
    return undefined
  })
}
