import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'

export interface WatchedFolder<T> {
  /** Valid values by file name without `.json`. The map is replaced, never changed, when a file changes. */
  current(): ReadonlyMap<string, T>
  /** Files whose present version is refused, by path, with the reason. */
  faults(): ReadonlyMap<string, string>
  /** Reads changed files now instead of at the next interval. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export interface WatchOptions<T> {
  /** Folders in ascending precedence: a file replaces the one of the same name in an earlier folder. */
  readonly folders: readonly string[]
  /** Validates the parsed JSON of a file. Its error is the reason that the operator reads. */
  readonly parse: (value: unknown, name: string) => T
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Runs at the start and after every change. Must not throw. */
  readonly onChange?: (values: ReadonlyMap<string, T>) => void
  readonly intervalMs?: number
}

interface Version<T> {
  /** Time and size, which change with the file. */
  readonly mark: string
  readonly value: T | undefined
  readonly fault: string | undefined
}

const INTERVAL_MS = 2_000
const MAX_BYTES = 1 << 20

/**
 * Reads the `*.json` files of some folders, and reads changed files again every two seconds. A faulty file is refused
 * with an error in the log, and its last valid version, or that of an earlier folder, stays in force. Polls because
 * network and container mounts deliver no change notifications.
 * @example
 * const models = await watchFolder({ folders: [shipped, path.join(dataDir, 'models')], parse: parseModel, log })
 * models.current().get('my-model') // my-model.json
 */
export async function watchFolder<T>(options: WatchOptions<T>): Promise<WatchedFolder<T>> {
  const { folders, parse, log, onChange, intervalMs = INTERVAL_MS } = options
  const closed = new AbortController()
  let versions: ReadonlyMap<string, Version<T>> = new Map()
  let values: ReadonlyMap<string, T> | undefined

  const read = async () => {
    const files = (await Promise.all(folders.map(listJson))).flat()
    const next = new Map<string, Version<T>>()
    for (const file of files) {
      const known = versions.get(file)
      const version = await readVersion(file, known, parse)
      if (version) next.set(file, version)
      if (version?.fault && version.mark !== known?.mark)
        log.warn({ file, fault: version.fault }, 'faulty file refused')
    }
    const isSame =
      next.size === versions.size && [...next].every(([file, { mark }]) => mark === versions.get(file)?.mark)
    if (values && isSame) return
    const isFirst = !values
    versions = next
    values = new Map([...next].flatMap(([file, { value }]) => (value === undefined ? [] : [[nameOf(file), value]])))
    onChange?.(values)
    if (!isFirst) log.info({ folders, names: [...values.keys()] }, 'files read again')
  }

  let reading: Promise<void> = Promise.resolve()
  const refresh = () => {
    reading = reading.then(read, read)
    return reading
  }
  const watch = async () => {
    while (!closed.signal.aborted) {
      await delay(intervalMs, undefined, { signal: closed.signal, ref: false })
      await refresh()
    }
  }

  await refresh()
  const watching = watch().catch(() => {})
  return {
    current: () => values!,
    faults: () => new Map([...versions].flatMap(([file, { fault }]) => (fault === undefined ? [] : [[file, fault]]))),
    refresh,
    async close() {
      closed.abort()
      await watching
    },
  }
}

const nameOf = (file: string) => path.basename(file, '.json')

async function listJson(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => path.join(folder, name))
}

/** Returns the known version if the file has not changed, and undefined if it is gone. */
async function readVersion<T>(
  file: string,
  known: Version<T> | undefined,
  parse: WatchOptions<T>['parse'],
): Promise<Version<T> | undefined> {
  const stats = await stat(file).catch(() => undefined)
  if (!stats?.isFile()) return undefined
  const mark = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size}`
  if (mark === known?.mark) return known
  try {
    if (stats.size > MAX_BYTES) throw new Error(`has more than ${MAX_BYTES} bytes`)
    return { mark, value: parse(JSON.parse(await readFile(file, 'utf8')), nameOf(file)), fault: undefined }
  } catch (error) {
    return { mark, value: known?.value, fault: (error as Error).message }
  }
}
