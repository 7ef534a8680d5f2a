import { text } from 'node:stream/consumers'
import { PRODUCT } from '../../app/backups.ts'
import { openPlace } from '../../app/openPlace.ts'
import { INCOMPLETE } from '../../audit/runCommand.ts'
import { proveCopy } from '../../backups/proveCopy.ts'
import { UNUSABLE } from '../../backups/proveInChild.ts'
import { RecoveryError } from '../../backups/recovery/manifest.ts'
import { replaceFetchDispatcher } from '../../kernel/http/outgoing/globalFetch.ts'
import { runAudit } from '../audit.ts'

// Entry point of the child process that `proveInChild` starts.

async function verifyLedger({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string }) {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  const code = await runAudit(['verify'], { env, print, printError: print })
  // The next start completes a read model that was behind when the copy was taken.
  return [0, INCOMPLETE].includes(code) ? undefined : lines.join(' ')
}

replaceFetchDispatcher()
const { to, ...options } = JSON.parse(await text(process.stdin))
try {
  await proveCopy({ ...options, place: openPlace(to, options.temporaryDir), product: PRODUCT, verifyLedger })
} catch (error) {
  if (!(error instanceof RecoveryError)) throw error
  process.exitCode = UNUSABLE
  process.stdout.write(error.message)
}
