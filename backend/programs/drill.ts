import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { PRODUCT } from '../app/backups.ts'
import { ConfigError } from '../app/config/environment.ts'
import { makeDataDir } from '../app/config/makeDataDir.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { withFiles } from '../app/config/settingFiles.ts'
import { INCOMPLETE } from '../audit/runCommand.ts'
import { backUp } from '../backups/recovery/backUp.ts'
import { compareRestored } from '../backups/recovery/compareRestored.ts'
import { RecoveryError } from '../backups/recovery/manifest.ts'
import { restore } from '../backups/recovery/restore.ts'
import { flag, parseOptions, runProgram } from '../kernel/commandLine.ts'
import { makeTemporaryDir } from '../kernel/media/temporaryDir.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { runAudit } from './audit.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'

const usage = `npm run drill [-- --with-secrets] [--keep]

Backs up this installation, restores the backup into a temporary folder in DATA_DIR, verifies the ledger and compares every table.
After the backup, only the copy is read, and which videos were deleted during the backup. Users' keys are opened with the
ENCRYPTION_KEY of the environment, which you keep in another place, or with the one in the copy (--with-secrets). --keep
leaves the temporary folder in place.`

type Print = (text: string) => void

/** Rehearses backup and restore without affecting the running installation. Returns the exit code. */
export function runDrill(args: readonly string[], env: NodeJS.ProcessEnv, print: Print) {
  return runProgram({ usage, expected: [RecoveryError, NoLedger, ConfigError, CannotConnect], print }, async () => {
    const { keep = false, 'with-secrets': withSecrets = false } = parseOptions(args, {
      keep: flag,
      'with-secrets': flag,
    })
    refuseNoInstallation(env)
    return (await drill(
      readConfig(env),
      { keep, withSecrets, givenKey: withFiles(env).ENCRYPTION_KEY || undefined },
      print,
    ))
      ? 0
      : 1
  })
}

interface Options {
  readonly keep: boolean
  readonly withSecrets: boolean
  /** The key that is kept apart from the backup. */
  readonly givenKey: string | undefined
}

async function drill(config: Config, { keep, withSecrets, givenKey }: Options, print: Print): Promise<boolean> {
  makeDataDir(config.dataDir)
  // In a container, the system's folder for temporary files is in memory. The next start empties the one in the data folder.
  const parent = keep ? config.dataDir : makeTemporaryDir(config.dataDir)
  const place = mkdtempSync(path.join(parent, 'drill-'))
  const backup = path.join(place, 'backup')
  const dataDir = path.join(place, 'restored')
  const start = performance.now()
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`
  try {
    const { tables } = await backUp(config, backup, withSecrets)
    print(`backed up: ${tables.length} tables (${seconds()})`)
    const findings = await restore(backup, { dataDir, databaseUrl: undefined }, PRODUCT, (manifest, connection) => {
      print(`restored into a new cluster (${seconds()})`)
      const proveKeys = (client: pg.ClientBase) => PRODUCT.proveKeys(client, givenKey ?? copiedKey(dataDir))
      return compareRestored(connection, dataDir, manifest, { source: config, proveKeys })
    })
    for (const { check, seen, wrong } of findings) print(`${wrong ? '✗' : '✓'} ${check}: ${wrong ?? seen}`)
    const isProven = config.eventStore ? undefined : await verifyLedger(dataDir, print)
    if (isProven === undefined)
      print('- ledger: its log is in EventStoreDB, not in this backup; run `npm run audit -- verify`')
    const isSound = findings.every(({ wrong }) => wrong === undefined) && isProven !== false
    print(`${isSound ? 'The backup can be restored' : 'The backup cannot be used'} (${seconds()})`)
    return isSound
  } finally {
    if (keep) print(`kept: ${place}`)
    else rmSync(place, { recursive: true, force: true, maxRetries: 10 })
  }
}

function copiedKey(dataDir: string): string | undefined {
  const file = path.join(dataDir, 'secrets.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).ENCRYPTION_KEY : undefined
}

async function verifyLedger(dataDir: string, print: Print): Promise<boolean> {
  let report = ''
  const output = { print: (text: string) => (report += text), printError: print }
  // The next start completes a read model that was behind when the backup was taken.
  const isSound = [0, INCOMPLETE].includes(await runAudit(['verify'], { env: { DATA_DIR: dataDir }, ...output }))
  print(isSound ? `✓ ledger: ${report.split('\n')[0]}` : `✗ ledger:\n${report}`)
  return isSound
}

if (import.meta.main) process.exitCode = await runDrill(process.argv.slice(2), process.env, console.log)
