import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { keyFor, opens, seal, unseal } from '../../accounts/keys/seal.ts'
import type { Context } from '../context.ts'

/** What the operator entered on the board: the address of a server, a key, or both. */
export interface EngineSetting {
  readonly url?: string | undefined
  readonly key?: string | undefined
}

type Settings = ReadonlyMap<string, EngineSetting>
export type EngineSettings = Awaited<ReturnType<typeof openEngineSettings>>

const INTERVAL_MS = 2_000
const aboutRow = (row: string) => ({ purpose: 'engine setting', row })
const sealingKey = (masterKey: string) => keyFor('engine settings', masterKey)

type Row = Readonly<{ name: string; sealed: string }>

/** Seals the engines of the board with another master key, within the caller's transaction. */
export async function resealEngineSettings(client: Pick<pg.ClientBase, 'query'>, from: string, to: string) {
  const { rows } = await client.query<Row>('select name, sealed from engine_setting for update')
  for (const { name, sealed } of rows) {
    const about = aboutRow(name)
    // One under an older key has been unreadable before.
    if (!opens(sealingKey(from), sealed, about)) continue
    const resealed = seal(sealingKey(to), unseal(sealingKey(from), sealed, about), about)
    await client.query('update engine_setting set sealed = $2 where name = $1', [name, resealed])
  }
}

/**
 * Opens the engines that were connected on the board. They are sealed rows, which every process reads again every two
 * seconds. If `ENCRYPTION_KEY` is lost, they must be entered again.
 */
export async function openEngineSettings(
  { pool, log, config }: Pick<Context, 'pool' | 'log' | 'config'>,
  onChange: (settings: Settings) => void,
) {
  const key = sealingKey(config.secrets.encryption)
  const closed = new AbortController()
  let current: Settings = new Map()
  let mark = ''

  const opened = ({ name, sealed }: Row): [string, EngineSetting][] => {
    try {
      return [[name, JSON.parse(unseal(key, sealed, aboutRow(name)).toString())]]
    } catch {
      log.warn({ name }, 'engine setting cannot be unsealed')
      return []
    }
  }
  const refresh = async () => {
    const { rows } = await pool.query<Row>('select name, sealed from engine_setting order by name')
    const next = JSON.stringify(rows)
    if (next === mark) return
    mark = next
    current = new Map(rows.flatMap(opened))
    onChange(current)
  }
  const watch = async () => {
    while (!closed.signal.aborted) {
      await delay(INTERVAL_MS, undefined, { signal: closed.signal, ref: false })
      await refresh().catch((err) => log.warn({ err }, 'engine settings cannot be read'))
    }
  }
  await refresh()
  const watching = watch().catch(() => {})

  return {
    current: () => current,
    async set(name: string, setting: EngineSetting): Promise<void> {
      const sealed = seal(key, Buffer.from(JSON.stringify(setting)), aboutRow(name))
      await pool.query(
        `insert into engine_setting (name, sealed, changed_at) values ($1, $2, now())
         on conflict (name) do update set sealed = excluded.sealed, changed_at = excluded.changed_at`,
        [name, sealed],
      )
      await refresh()
    },
    /** Returns whether there was such a setting. */
    async remove(name: string): Promise<boolean> {
      const { rowCount } = await pool.query('delete from engine_setting where name = $1', [name])
      await refresh()
      return rowCount !== 0
    },
    async close(): Promise<void> {
      closed.abort()
      await watching
    },
  }
}
