import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'

export interface WatchedFolder<T> {
  /** Valid values by file name without `.json`. The map is replaced, never changed, when a file changes. */
  current(): ReadonlyMap<string, T>
  /** Files whose present version is refused, and folders that cannot be read, by path, with the reason. */
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
 * with an error in the log, and its last valid version, or that of an earlier folder, stays in force. So do all files of a
 * folder that cannot be read. Polls because network and container mounts deliver no change notifications.
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
    const next = new Map<string, Version<T>>()
    for (const folder of folders) {
      const listed = await listJson(folder)
      const isKnownIn = (file: string) => path.dirname(file) === folder
      if ('fault' in listed) next.set(folder, { mark: listed.fault, value: undefined, ...listed })
      for (const file of 'fault' in listed ? [...versions.keys()].filter(isKnownIn) : listed.files) {
        const version = await readVersion(file, versions.get(file), parse)
        if (version) next.set(file, version)
      }
    }
    for (const [file, { fault, mark }] of next)
      if (fault && mark !== versions.get(file)?.mark) log.warn({ file, fault }, 'faulty file refused')
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

/** Lists the files of a folder, none if it is missing. */
async function listJson(folder: string): Promise<{ files: string[] } | { fault: string }> {
  try {
    const names = await readdir(folder)
    const shown = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort()
    return { files: shown.map((name) => path.join(folder, name)) }
  } catch (error) {
    return isMissing(error) ? { files: [] } : { fault: (error as Error).message }
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Returns the known version if the file has not changed, and undefined if it is gone. */
async function readVersion<T>(
  file: string,
  known: Version<T> | undefined,
  parse: WatchOptions<T>['parse'],
): Promise<Version<T> | undefined> {
  let mark = 'unreadable'
  try {
    const stats = await stat(file)
    if (!stats.isFile()) return undefined
    mark = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size}`
    if (mark === known?.mark) return known
    if (stats.size > MAX_BYTES) throw new Error(`has more than ${MAX_BYTES} bytes`)
    return { mark, value: parse(JSON.parse(await readFile(file, 'utf8')), nameOf(file)), fault: undefined }
  } catch (error) {
    return isMissing(error) ? undefined : { mark, value: known?.value, fault: (error as Error).message }
  }
}
