import path from 'node:path'
import { ConfigError } from '../app/config/environment.ts'
import { parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { RecoveryError } from './recovery/manifest.ts'
import { restore } from './recovery/restore.ts'

const usage = `npm run restore -- --from <backup> --into <new data folder>
npm run restore -- --from <backup> --database <URL of an empty database>

Restores a backup. Then start Kinora with DATA_DIR or DATABASE_URL set to the new place.`

/** Restores a backup into a new data folder or an empty database. Returns the exit code. */
export function runRestore(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [RecoveryError, ConfigError], print }, async () => {
    const { from, into, database } = parseOptions(args, { from: text, into: text, database: text })
    if (!from) throw new UsageError('--from is missing')
    if ((into === undefined) === (database === undefined)) throw new UsageError('Give either --into or --database')
    const dataDir = path.resolve(into ?? (env.DATA_DIR || '.data'))
    const { takenAt, files } = await restore(from, { dataDir, databaseUrl: database }, async (manifest) => manifest)
    if (!files) print('The backup is from a version that did not hash files: they could not be verified.')
    print(`Restored as of ${takenAt}.`)
    return 0
  })
}

if (import.meta.main) process.exitCode = await runRestore(process.argv.slice(2), process.env, console.log)
