import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ERASURE_FILE, parseErasures } from '../accounts/erasureList.ts'
import { ConfigError } from '../app/config/environment.ts'
import { parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { RecoveryError } from './recovery/manifest.ts'
import { restore } from './recovery/restore.ts'

const usage = `npm run restore -- --from <backup> --into <new data folder> [--erasures <file>]
npm run restore -- --from <backup> --database <URL of an empty database> [--erasures <file>]

--erasures names the list of erased accounts, ${ERASURE_FILE} in HEADS_TO: accounts that were erased after the backup are
erased again. Without it, they are restored.

Restores a backup. Then start Kinora with DATA_DIR or DATABASE_URL set to the new place.`

/** Restores a backup into a new data folder or an empty database. Returns the exit code. */
export function runRestore(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [RecoveryError, ConfigError], print }, async () => {
    const options = { from: text, into: text, database: text, erasures: text }
    const { from, into, database, erasures } = parseOptions(args, options)
    if (!from) throw new UsageError('--from is missing')
    if ((into === undefined) === (database === undefined)) throw new UsageError('Give either --into or --database')
    const dataDir = path.resolve(into ?? (env.DATA_DIR || '.data'))
    const erased = erasures === undefined ? undefined : readErasures(erasures)
    const target = { dataDir, databaseUrl: database, erased }
    const done = await restore(from, target, async (manifest, _, erasedAgain) => ({ ...manifest, erasedAgain }))
    const { takenAt, files, erasedAgain } = done
    if (!files) print('The backup is from a version that did not hash files: they could not be verified.')
    if (erased) print(`Erased ${erasedAgain} of ${erased.size} listed accounts again.`)
    else print('No list of erasures was given (--erasures): accounts that were erased after the backup are restored.')
    print(`Restored as of ${takenAt}.`)
    return 0
  })
}

function readErasures(file: string): Set<string> {
  try {
    return parseErasures(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--erasures: ${file} cannot be used: ${(error as Error).message}`)
  }
}

if (import.meta.main) process.exitCode = await runRestore(process.argv.slice(2), process.env, console.log)
