import { existsSync, readFileSync } from 'node:fs'
import os, { constants } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { text as readText } from 'node:stream/consumers'
import { ERASURE_FILE, parseErasures } from '../accounts/erasureList.ts'
import { PRODUCT } from '../app/backups.ts'
import { ConfigError } from '../app/config/environment.ts'
import { withFiles } from '../app/config/settingFiles.ts'
import { namedPlace } from '../app/config/storageConfig.ts'
import { openPlace } from '../app/openPlace.ts'
import { MANIFEST, RecoveryError } from '../backups/recovery/manifest.ts'
import { restore } from '../backups/recovery/restore.ts'
import { restoreCopy } from '../backups/recovery/restoreCopy.ts'
import { identityOf, WrongPhrase } from '../backups/recoveryPhrase.ts'
import { flag, parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { isDatabaseUrl, NO_DATABASE_URL } from '../kernel/postgres/databaseUrl.ts'

const usage = `npm run restore -- --from <backup> --into <new data folder> [--erasures <file>]
npm run restore -- --from <backup> --database <URL of an empty database> [--erasures <file>]
npm run restore -- --from <backup> --here [--erasures <file>]

--here is the place of the settings, DATABASE_URL and DATA_DIR, which must be empty: a new machine before its first start.

--from is a folder of npm run backup, or the place of nightly copies (BACKUP_TO): a folder, or s3://bucket/prefix with the
S3_ settings. A nightly copy needs the recovery phrase: the program asks for it, or reads it from --phrase-file <file>. It
restores the newest one, or --copy <name>.

--erasures names the list of erased accounts, ${ERASURE_FILE} in HEADS_TO: accounts that were erased after the backup are
erased again. Without it, they are restored. A nightly copy contains the list.

Restores a backup. Then start Kinora with DATA_DIR or DATABASE_URL set to the new place.`

type Print = (text: string) => void

/**
 * Restores a backup into a new data folder or an empty database. Returns the exit code.
 * @param ask asks for the recovery phrase
 */
export function runRestore(args: readonly string[], env: NodeJS.ProcessEnv, print: Print, ask = askForPhrase) {
  return runProgram({ usage, expected: [RecoveryError, ConfigError, CannotConnect, WrongPhrase], print }, async () => {
    const options = { from: text, erasures: text, copy: text, 'phrase-file': text, ...TARGET }
    const { from, erasures, copy, 'phrase-file': file, ...place } = parseOptions(args, options)
    if (!from) throw new UsageError('--from is missing')
    const erased = erasures === undefined ? undefined : readErasures(erasures)
    const target = { ...readTarget(place, withFiles(env)), erased }
    if (existsSync(path.join(from, MANIFEST))) {
      if (copy ?? file) throw new UsageError(`${from} is not encrypted: leave out --copy and --phrase-file`)
      await restoreBackup(from, target, print)
    } else {
      const copies = openPlace(namedPlace(from, env), os.tmpdir())
      if (!(await hasCopies(copies))) throw new RecoveryError(`${from} holds no backup, or an unfinished one.`)
      const identity = identityOf(file === undefined ? await ask() : readPhrase(file))
      const found = await restoreCopy(
        { ...target, place: copies, identity, copy, erased: erased ?? new Set() },
        PRODUCT,
      )
      print(`Erased ${found.erasedAgain} of ${found.listed} listed accounts again.`)
      if (found.manifest.log === 'EventStoreDB')
        print('The log is in EventStoreDB, not in this copy: restore it by its own rules (docs/operations.md).')
      if (target.databaseUrl)
        print(
          `Processes with another DATA_DIR need the SESSION_SECRET and ENCRYPTION_KEY of ${secretsIn(target.dataDir)}.`,
        )
      print(`Restored as of ${found.manifest.takenAt}.`)
    }
    return 0
  })
}

const TARGET = { into: text, database: text, here: flag }

/** @throws UsageError not exactly one place is given */
function readTarget(
  { into, database, here }: { into?: string; database?: string; here?: boolean },
  { DATA_DIR, DATABASE_URL }: NodeJS.ProcessEnv,
) {
  if ([into, database, here].filter((place) => place !== undefined).length !== 1)
    throw new UsageError('Give one of --into, --database and --here')
  if (database !== undefined && !isDatabaseUrl(database)) throw new UsageError(`--database ${NO_DATABASE_URL}`)
  const dataDir = path.resolve(into ?? (DATA_DIR || '.data'))
  return { dataDir, databaseUrl: here ? DATABASE_URL || undefined : database }
}

const secretsIn = (dataDir: string) => path.join(dataDir, 'secrets.json')

async function restoreBackup(from: string, target: Parameters<typeof restore>[1], print: Print): Promise<void> {
  const { erased } = target
  const done = await restore(from, target, PRODUCT, async (manifest, _, erasedAgain) => ({ ...manifest, erasedAgain }))
  const { takenAt, files, erasedAgain } = done
  if (!files) print('The backup is from a version that did not hash files: they could not be verified.')
  if (erased) print(`Erased ${erasedAgain} of ${erased.size} listed accounts again.`)
  else print('No list of erasures was given (--erasures): accounts that were erased after the backup are restored.')
  print(`Restored as of ${takenAt}.`)
}

async function hasCopies(place: ReturnType<typeof openPlace>): Promise<boolean> {
  for await (const { key } of place.list('')) if (key.includes('/copies/')) return true
  return false
}

function readErasures(file: string): Set<string> {
  try {
    return parseErasures(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--erasures: ${file} cannot be used: ${(error as Error).message}`)
  }
}

function readPhrase(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--phrase-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Reads the recovery phrase from the terminal, or from standard input if that is none. */
async function askForPhrase(): Promise<string> {
  if (!process.stdin.isTTY) return readText(process.stdin)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // The question takes Ctrl-C as a character, and would reject.
  terminal.once('SIGINT', () => process.exit(128 + constants.signals.SIGINT))
  try {
    return await terminal.question('Recovery phrase (24 words, on one line): ')
  } finally {
    terminal.close()
  }
}

if (import.meta.main) process.exitCode = await runRestore(process.argv.slice(2), process.env, console.log)
