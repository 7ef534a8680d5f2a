import path from 'node:path'
import { ConfigError } from '../app/config/environment.ts'
import { readConfig } from '../app/config/readConfig.ts'
import { backUp } from '../backups/recovery/backUp.ts'
import { RecoveryError } from '../backups/recovery/manifest.ts'
import { flag, parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'

const usage = `npm run backup -- --out <new folder> [--with-secrets]

Saves all tables as of one moment, the media folder, and your own models, templates, providers and ComfyUI graphs, while Kinora runs. The source is the installation that DATA_DIR
or DATABASE_URL names. Keep ENCRYPTION_KEY and SESSION_SECRET in another place than the backup; --with-secrets includes
those that were generated in DATA_DIR, and the signing key of the audit. An EventStoreDB cluster and a media bucket need backups of their own:
docs/operations.md.`

/** Backs up the configured installation. Returns the exit code. */
export function runBackup(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [RecoveryError, NoLedger, ConfigError, CannotConnect], print }, async () => {
    const { out, 'with-secrets': withSecrets = false } = parseOptions(args, { out: text, 'with-secrets': flag })
    if (!out) throw new UsageError('--out is missing')
    refuseNoInstallation(env)
    const { tables, media } = await backUp(readConfig(env), path.resolve(out), withSecrets)
    print(`${out}: ${tables.length} tables, ${media === 'bucket' ? 'media in the bucket' : `${media.files} files`}`)
    return 0
  })
}

if (import.meta.main) process.exitCode = await runBackup(process.argv.slice(2), process.env, console.log)
