import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { readArchivedHeads, writeArchive } from './archive.ts'
import type { Command } from './command.ts'
import { explain, explanationReport } from './explain.ts'
import type { RememberedHeads } from './hashChain.ts'
import type { AuditedModel, RowSnapshot } from './readModelProof.ts'
import { signingKey } from './signingKey.ts'
import { statementOf } from './statement.ts'
import { statementCsv, statementReport } from './statementReport.ts'
import { type Evidence, verify } from './verify.ts'
import { toVerification, verifyReport } from './verifyReport.ts'

/** The account or task does not exist. */
export class NotFound extends Error {
  override name = 'NotFound'
}

/** A consistent snapshot of the read models and stream heads. */
export interface LedgerSnapshot extends RowSnapshot {
  heads(): Promise<RememberedHeads>
  close(): Promise<void>
}

/** A ledger and the evidence to compare it with. */
export interface AuditedLedger {
  readonly store: EventStore
  readonly models: readonly AuditedModel[]
  readonly dataDir: string
  readonly logState: Evidence['logState']
  readonly hashed: Evidence['hashed']
  takeSnapshot(): Promise<LedgerSnapshot>
  findUserId(email: string): Promise<string | undefined>
}

type CommandOf<Name extends Command['name']> = Extract<Command, { name: Name }>
type Print = (text: string) => void

/**
 * Runs a command and returns the exit code.
 * @throws NotFound the account or task does not exist
 * @throws UsageError a file cannot be used
 */
export function runCommand(command: Exclude<Command, { name: 'help' }>, ledger: AuditedLedger, print: Print) {
  switch (command.name) {
    case 'verify':
      return runVerify(command, ledger, print)
    case 'statement':
      return runStatement(command, ledger, print)
    case 'explain':
      return runExplain(command, ledger, print)
    case 'export':
      return runExport(command, ledger, print)
  }
}

/** Calls `use` with all available evidence, read from one snapshot. */
async function withEvidence<T>(
  { takeSnapshot, models, logState, hashed }: AuditedLedger,
  earlier: readonly RememberedHeads[],
  use: (evidence: Evidence) => Promise<T>,
): Promise<T> {
  const snapshot = await takeSnapshot()
  try {
    return await use({ hashed, models, snapshot, logState, remembered: [await snapshot.heads(), ...earlier] })
  } finally {
    await snapshot.close()
  }
}

async function runVerify({ heads, json }: CommandOf<'verify'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const earlier = heads === undefined ? undefined : await readArchivedHeads(heads)
  const found = await withEvidence(ledger, earlier ? [earlier] : [], (evidence) => verify(ledger.store, evidence))
  const verification = {
    ...toVerification(found),
    comparedWith: earlier && { by: earlier.by, key: earlier.fingerprint },
  }
  if (json) print(JSON.stringify(verification, null, 2))
  else {
    if (earlier) print(`${earlier.by} was signed with the key ${earlier.fingerprint}\n`)
    print(verifyReport(verification))
  }
  return found.ok ? 0 : 1
}

async function runStatement(command: CommandOf<'statement'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const { user, format } = command
  const userId = user.includes('@') ? await ledger.findUserId(user) : user.toLowerCase()
  const period = { ...command, now: new Date().toISOString() }
  const statement = userId === undefined ? undefined : await statementOf(ledger.store, { ...period, userId })
  if (!statement) throw new NotFound(`--user: there is no credit account of ${user}.`)
  if (format === 'json') print(JSON.stringify(statement, null, 2))
  else print(format === 'csv' ? statementCsv(statement) : statementReport(statement))
  return 0
}

async function runExplain({ task, json }: CommandOf<'explain'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const explanation = await explain(ledger.store, task)
  if (!explanation) throw new NotFound(`--task: no event refers to ${task}.`)
  print(json ? JSON.stringify(explanation, null, 2) : explanationReport(explanation))
  return 0
}

async function runExport({ out, key: file }: CommandOf<'export'>, ledger: AuditedLedger, print: Print) {
  const key = signingKey(file, ledger.dataDir)
  const at = new Date().toISOString()
  const { found, fingerprint } = await withEvidence(ledger, [], (evidence) =>
    writeArchive(ledger.store, { ...evidence, out, key, at }),
  )
  print(`${out}: ${found.events} events of ${found.streams} streams, signed with the key ${fingerprint}`)
  if (found.ok) return 0
  print(`The ledger has deviations; the archive contains it as it is.\n\n${verifyReport(toVerification(found))}`)
  return 1
}
