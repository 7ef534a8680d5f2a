import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { changeOwner, dropRoot, type Identity } from './dropRoot.ts'
import { checkMajorVersion, ensureCluster, findPrograms, superuser } from './postgresCluster.ts'
import { isServing, readPostmaster, removeStaleLock } from './postmaster.ts'
import { supervise } from './supervise.ts'

interface EmbeddedPostgresOptions {
  readonly dataDir: string
  readonly log?: (line: string) => void
  /** Whether data survives a power loss; true by default. Tests set it to false for speed. */
  readonly durable?: boolean
  /** Called when a server has been started, before it accepts connections. */
  readonly onStarting?: (() => void) | undefined
  /** By default, a folder that is named after the data folder. */
  readonly socketDir?: string
}

export interface EmbeddedPostgres {
  /** Unix socket directory; `pg` takes it as `host`. */
  readonly socketDir: string
  readonly port: number
  readonly database: 'postgres'
  readonly user: string
  /** False if another process on this machine started the server. If it ends first, this process starts the next one. */
  readonly owned: boolean
  readonly pid: number
  stop(): Promise<void>
  /** Resolves when the server has exited for any reason. */
  readonly exited: Promise<void>
}

/** Part of the socket's name; no TCP port is opened. */
const PORT = 5432
const ADDRESS = { port: PORT, database: 'postgres', user: superuser } as const
/** Long enough for crash recovery. */
const START_TIMEOUT_MS = 60_000
/** Startup errors while a previous server still holds its lock or shared memory. */
const STILL_STOPPING = /lock file "postmaster.pid" (already exists|is empty)|pre-existing shared memory block/

/**
 * Starts PostgreSQL on a Unix socket, or joins the server that already serves this folder. Needs no account, port or
 * locale, and also works as root. The server stops when this process ends, even by SIGKILL.
 * @example const { socketDir, port, user, database } = await startEmbeddedPostgres({ dataDir: '.data/postgres' })
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  for (const deadline = performance.now() + 15_000; ; await pause(100)) {
    try {
      return await startOrJoin(options)
    } catch (error) {
      if (!STILL_STOPPING.test((error as Error).message) || performance.now() > deadline) throw error
    }
  }
}

async function startOrJoin(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = () => {} } = options
  const dataDir = path.resolve(options.dataDir)
  const deadline = performance.now() + START_TIMEOUT_MS
  const running = await join(dataDir, deadline)
  if (running) return replacedWhenGone(running, options)

  fs.mkdirSync(path.dirname(dataDir), { recursive: true })
  const programs = await findPrograms()
  const identity = dropRoot(programs.postgres)
  await ensureCluster(dataDir, programs.initdb, identity, durable)
  changeOwner(dataDir, identity)
  // An account other than root must pass through the private parent folder, but need not list it.
  if (identity.ids.uid !== undefined) fs.chmodSync(path.dirname(dataDir), 0o711)
  removeStaleLock(dataDir)
  const socketDir = options.socketDir ?? socketDirOf(dataDir)
  makeSocketDir(socketDir, identity)

  const command = [...identity.prefix, programs.postgres, '-D', dataDir, ...settings(socketDir, durable)]
  const server = supervise(command, identity, log)
  options.onStarting?.()
  const pid = await server.untilReady(dataDir, socketDir, deadline)
  if (pid !== undefined) return { ...ADDRESS, socketDir, owned: true, pid, stop: server.stop, exited: server.exited }
  // The server exited; another process may have started one first.
  const other = await join(dataDir, deadline).catch(() => undefined)
  if (other) return replacedWhenGone(other, options)
  checkMajorVersion(dataDir, programs.postgres)
  throw new Error(`PostgreSQL did not start: ${server.output()}`)
}

/** Joins the server that serves a folder; waits while it starts or stops. Returns undefined if there is none. */
async function join(dataDir: string, deadline: number): Promise<EmbeddedPostgres | undefined> {
  for (; ; await pause(20)) {
    const found = readPostmaster(dataDir)
    if (!found) return undefined
    if (found.status === 'ready') {
      // A server whose owner has just died still reports that it is ready.
      await pause(100)
      const again = readPostmaster(dataDir)
      if (again?.status !== 'ready' || again.pid !== found.pid) continue
      const { pid, socketDir } = found
      return { ...ADDRESS, socketDir, owned: false, pid, stop: async () => {}, exited: untilExited(pid, dataDir) }
    }
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL ${found.pid} in ${dataDir} is ${found.status || 'not ready'}`)
  }
}

/** Starts the next server on the same socket when the process that started the joined one has ended and stopped it. */
function replacedWhenGone(joined: EmbeddedPostgres, options: EmbeddedPostgresOptions): EmbeddedPostgres {
  let stopped = false
  let next: Promise<EmbeddedPostgres> | undefined
  const replace = async () => {
    await joined.exited
    // Without its data there is nothing to serve, and an empty database must not take its place.
    if (stopped || !fs.existsSync(path.join(options.dataDir, 'PG_VERSION'))) return
    next = startEmbeddedPostgres({ ...options, socketDir: joined.socketDir })
    await (await next).exited
  }
  const exited = replace().catch((error: Error) => options.log?.(error.message))
  return {
    ...joined,
    exited,
    async stop() {
      stopped = true
      await next?.then((server) => server.stop()).catch(() => {})
    },
  }
}

/** Resolves when the server has exited. Polls every second without keeping this process alive. */
async function untilExited(pid: number, dataDir: string): Promise<void> {
  while (isServing(pid, dataDir)) await pause(1000, undefined, { ref: false })
}

/** Returns the socket's folder. Its path is short, because socket paths are limited to about 104 bytes. */
function socketDirOf(dataDir: string): string {
  const parent = os.tmpdir().length > 60 ? '/tmp' : os.tmpdir()
  return path.join(parent, `kinora-pg-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
}

function makeSocketDir(socketDir: string, identity: Identity): void {
  fs.mkdirSync(socketDir, { recursive: true, mode: 0o700 })
  if (!fs.lstatSync(socketDir).isDirectory()) throw new Error(`${socketDir} is a link: remove it`)
  changeOwner(socketDir, identity)
  // Anyone who can access the folder can access the database.
  fs.chmodSync(socketDir, 0o700)
}

function settings(socketDir: string, durable: boolean): string[] {
  const values = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    port: String(PORT),
    max_connections: '100',
    wal_level: 'minimal',
    max_wal_senders: '0',
    jit: 'off',
    lc_messages: 'C',
    timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
