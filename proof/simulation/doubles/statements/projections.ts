import type { SimulatedDatabase, Statements } from '../database.ts'

export interface Checkpoint {
  readonly name: string
  readonly version: number
  readonly position: string | null
}

interface Row {
  readonly id: string
  readonly amount?: number
}
interface Parked {
  readonly projection: string
  readonly event_id: string
  readonly position: string
  readonly row_key: string
  /** Position of the read model before the event. */
  readonly checkpoint: string | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function uuids(list: unknown): string[] {
  const text = String(list)
  const ids = text.startsWith('{') ? text.slice(1, -1).split(',') : (JSON.parse(text) as string[])
  for (const id of ids) if (!UUID.test(String(id))) throw invalid('uuid', id)
  return ids
}

const invalid = (type: string, value: unknown) =>
  Object.assign(new Error(`invalid input syntax for type ${type}: "${value}"`), { code: '22P02' })

function upsert(database: SimulatedDatabase, table: string, json: unknown): void {
  const rows = JSON.parse(json as string) as Row[]
  for (const { amount = 0 } of rows) if (!Number.isInteger(amount)) throw invalid('integer', amount)
  for (const row of rows) database.table<Row>(table).set(row.id, row)
}

/** A checkpoint to move. */
type Fence = Readonly<{ name: string; version: number; from?: string; to: string }>
type Begin = Readonly<{ name: string; before: string }>

const tableIn = (sql: string) => /from "(\w+)"/.exec(sql)![1]!
const checkpoints = (database: SimulatedDatabase) => database.table<Checkpoint>('projection_checkpoint')

const parkedOf = (database: SimulatedDatabase, projection: unknown) =>
  [...database.table<Parked>('parked_event').rows.values()].filter((parked) => parked.projection === projection)

const byPosition = (a: Parked, b: Parked) => (a.position < b.position ? -1 : 1)

/** Items of open work by table: the columns that the snapshot selects. */
const ITEMS: Readonly<Record<string, (row: Record<string, unknown>) => unknown>> = {
  open_task: ({ id, user_id, priority }) => ({ taskId: id, userId: user_id, priority }),
  late_render: ({ id, user_id }) => ({ taskId: id, userId: user_id }),
  open_redemption: ({ code_id, user_id, credits }) => ({ codeId: code_id, userId: user_id, credits }),
  desk_bulk: ({ id }) => id,
  open_team_change: ({ id }) => ({ teamId: id }),
  team_roster: ({ owner_id }) => ({ userId: owner_id }),
  desk_action: ({ id, kind, user_id }) => ({ actionId: id, kind, userId: user_id }),
  current_subscription: ({ id, unclosed }) => ((unclosed as string[]).length > 0 ? id : undefined),
}

/** Statements of a transaction that writes read models. */
const WRITES: Statements = [
  [
    'select c.name, f."to", f.seen from projection_checkpoint',
    (database, [json]) =>
      (JSON.parse(json as string) as Fence[]).flatMap(({ name, version, from, to }) => {
        const row = checkpoints(database).get(name)
        if (!row || row.version !== version || row.position !== (from ?? null)) return []
        checkpoints(database).set(name, { ...row, position: to })
        return [{ name }]
      }),
  ],
  [
    'b.name as source',
    (database, values, sql) => {
      const tables = [...sql.matchAll(/from "(\w+)" t/g)].map(([, table]) => table!)
      const rows = tables.flatMap((source, n) => {
        const known = database.table<Row>(source).rows
        return uuids(values[n]).flatMap((key) => (known.has(key) ? [{ source, key, row: known.get(key)! }] : []))
      })
      const stale = (JSON.parse(values.at(-1) as string) as Begin[])
        .filter(({ name, before }) => parkedOf(database, name).some(({ position }) => position < before))
        .map(({ name }) => ({ source: name, key: null, row: null }))
      return [...rows, ...stale]
    },
  ],
  [
    "pg_notify('read_model', value) from jsonb_array_elements_text(",
    (database, values, sql) => {
      for (const [n, [, step, table]] of [...sql.matchAll(/\((delete from|insert into) "(\w+)"/g)].entries())
        if (step === 'insert into') upsert(database, table!, values[n])
        else for (const id of uuids(values[n])) database.table<Row>(table!).delete(id)
      for (const payload of JSON.parse(values.at(-1) as string) as string[]) database.notify(payload)
      return []
    },
  ],
]

export const PROJECTION_STATEMENTS: Statements = [
  ...WRITES,
  [
    'insert into projection_checkpoint (name, version) select',
    (database, [json]) => {
      for (const { name, version } of JSON.parse(json as string) as Checkpoint[])
        if (!checkpoints(database).get(name)) checkpoints(database).set(name, { name, version, position: null })
      return []
    },
  ],
  [
    'select c.name, c.version, c.position from projection_checkpoint',
    (database, [json]) =>
      (JSON.parse(json as string) as Checkpoint[]).map(({ name }) => checkpoints(database).get(name)!),
  ],
  ['set live_at = ', () => []],
  [
    "select live_at > clock_timestamp() - interval '1 day'",
    (database, [name]) => [{ complete: parkedOf(database, name).length === 0 }],
  ],
  [
    'select coalesce(json_agg(',
    (database, [name], sql) => {
      const table = tableIn(sql)
      const rows = [...database.table(table).rows.values()].toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
      const items = rows.map(ITEMS[table]!).filter((item) => item !== undefined)
      const [parked] = parkedOf(database, name).toSorted(byPosition)
      const position = parked ? parked.checkpoint : checkpoints(database).get(name as string)?.position
      return [{ position: position ?? null, items }]
    },
  ],
  [
    'select from parked_event',
    (database, [projection, position]) =>
      parkedOf(database, projection).filter((parked) => parked.position < (position as string)),
  ],
  [
    'select distinct row_key from parked_event',
    (database, [projection, position, keys]) => {
      const wanted = new Set(JSON.parse(keys as string) as string[])
      return parkedOf(database, projection).filter(
        (parked) => parked.position < (position as string) && wanted.has(parked.row_key),
      )
    },
  ],
  [
    'select row_key from parked_event',
    (database, [version, name]) => {
      if (checkpoints(database).get(name as string)?.version !== version) return []
      const keys = parkedOf(database, name)
        .toSorted(byPosition)
        .map(({ row_key }) => row_key)
      return [...new Set(keys)].map((row_key) => ({ row_key }))
    },
  ],
  [
    'select event_id, stream, revision, checkpoint from parked_event',
    (database, [name, key]) =>
      parkedOf(database, name)
        .filter(({ row_key }) => row_key === key)
        .toSorted(byPosition),
  ],
  [
    'select from projection_checkpoint where name = $1 and version = $2 for update',
    (database, [name, version]) =>
      [checkpoints(database).get(name as string)].filter((found) => found?.version === version) as object[],
  ],
  [
    'delete from parked_event where projection = $1 and row_key = $2',
    (database, [projection, key, ids]) => {
      const wanted = new Set(JSON.parse(ids as string) as string[])
      const taken = parkedOf(database, projection).filter((each) => each.row_key === key && wanted.has(each.event_id))
      for (const { event_id } of taken) database.table<Parked>('parked_event').delete(`${projection} ${event_id}`)
      return taken
    },
  ],
  [
    'insert into parked_event',
    (database, [json]) => {
      for (const row of JSON.parse(json as string) as Parked[])
        database.table<Parked>('parked_event').set(`${row.projection} ${row.event_id}`, row)
      return []
    },
  ],
]
