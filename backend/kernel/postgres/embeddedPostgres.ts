import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { changeOwner, dropRoot, type Identity } from './dropRoot.ts'
import { ensureCluster, findPrograms, superuser } from './postgresCluster.ts'
import { isServing, readPostmaster, removeStaleLock } from './postmaster.ts'
import { supervise } from './supervise.ts'

export interface EmbeddedPostgresOptions {
  readonly dataDir: string
  readonly log?: (line: string) => void
  /** False gives up safety against a power cut (not against a killed process) for speed: for tests. */
  readonly durable?: boolean
}

export interface EmbeddedPostgres {
  /** Given as `host` to `pg`. */
  readonly socketDir: string
  readonly port: number
  readonly database: 'postgres'
  readonly user: string
  /** False when another process of this machine started it: that one also stops it. */
  readonly owned: boolean
  readonly pid: number
  stop(): Promise<void>
  /** Settles when the server is gone, for whatever reason. */
  readonly exited: Promise<void>
}

/** No TCP port is opened: the number is only a part of the socket's name. */
const port = 5432
/** Recovery after a crash may take a while. */
const startTimeout = 60_000
/** A server that is going away still holds its lock or its shared memory for a moment. */
const stillLeaving = /lock file "postmaster.pid" already exists|pre-existing shared memory block|lock file .* is empty/

/**
 * Starts PostgreSQL on a Unix socket, or joins the one that already serves this folder. It needs no account, no port and
 * no locale, also works for root, and ends with this process however that ends.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  for (const giveUp = Date.now() + 15_000; ; await pause(100)) {
    try {
      return await startOrJoin(options)
    } catch (error) {
      if (!stillLeaving.test((error as Error).message) || Date.now() > giveUp) throw error
    }
  }
}

async function startOrJoin({ durable = true, ...options }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {})
  const dataDir = path.resolve(options.dataDir)
  const deadline = Date.now() + startTimeout
  const running = await join(dataDir, deadline)
  if (running) return running

  fs.mkdirSync(path.dirname(dataDir), { recursive: true })
  const programs = await findPrograms()
  const identity = dropRoot(programs.postgres)
  await ensureCluster(dataDir, programs, identity, durable)
  changeOwner(dataDir, identity)
  removeStaleLock(dataDir)
  const socketDir = makeSocketDir(dataDir, identity)

  const command = [...identity.prefix, programs.postgres, '-D', dataDir, ...settings(socketDir, durable)]
  const server = supervise(command, identity, log)
  const pid = await server.untilReady(dataDir, socketDir, deadline)
  if (pid !== undefined) return describe(socketDir, { owned: true, pid, stop: server.stop, exited: server.exited })
  // It ended at once: either another starter was faster, or something is wrong.
  const faster = await join(dataDir, deadline).catch(() => undefined)
  if (faster) return faster
  throw new Error(`PostgreSQL did not start: ${server.lastWords()}`)
}

function describe(
  socketDir: string,
  rest: Pick<EmbeddedPostgres, 'owned' | 'pid' | 'stop' | 'exited'>,
): EmbeddedPostgres {
  return { socketDir, port, database: 'postgres', user: superuser, ...rest }
}

/** Undefined when no server serves the folder. One that is starting or stopping is waited for. */
async function join(dataDir: string, deadline: number): Promise<EmbeddedPostgres | undefined> {
  const look = () => {
    const found = readPostmaster(dataDir)
    return found && isServing(found.pid, dataDir) ? found : undefined
  }
  for (; ; await pause(20)) {
    const found = look()
    if (!found) return undefined
    if (found.status === 'ready') {
      // For a moment after the death of its owner a server still says that it is ready.
      await pause(100)
      const again = look()
      if (again?.status !== 'ready' || again.pid !== found.pid) continue
      const exited = untilGone(() => !isServing(found.pid, dataDir))
      return describe(found.socketDir, { owned: false, pid: found.pid, stop: async () => {}, exited })
    }
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL ${found.pid} in ${dataDir} is ${found.status || 'not ready'}`)
  }
}

/** Looks once a second without keeping the process alive. */
function untilGone(isGone: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isGone()) return
      clearInterval(timer)
      resolve()
    }, 1000).unref()
  })
}

/** A socket's whole path is limited to about 104 bytes, so the folder is named by a hash and lies in a short place. */
function makeSocketDir(dataDir: string, identity: Identity): string {
  const parent = os.tmpdir().length > 60 ? '/tmp' : os.tmpdir()
  const name = `kinora-pg-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const socketDir = path.join(parent, name)
  fs.mkdirSync(socketDir, { recursive: true, mode: 0o700 })
  if (!fs.lstatSync(socketDir).isDirectory()) throw new Error(`${socketDir} is a link: remove it`)
  changeOwner(socketDir, identity)
  // Whoever may enter the folder may enter the database.
  fs.chmodSync(socketDir, 0o700)
  return socketDir
}

function settings(socketDir: string, durable: boolean): string[] {
  const values = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    port: String(port),
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
