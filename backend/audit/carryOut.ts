import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { earlierHeads, writeArchive } from './archive.ts'
import type { Command } from './command.ts'
import { explain, explanationReport } from './explain.ts'
import type { RememberedHeads } from './hashChain.ts'
import type { PostgresSnapshot } from './postgresEvidence.ts'
import type { AuditedModel } from './readModelProof.ts'
import { signingKey } from './signingKey.ts'
import { statementOf } from './statement.ts'
import { statementCsv, statementReport } from './statementReport.ts'
import { type Evidence, verify } from './verify.ts'
import { verificationOf, verifyReport } from './verifyReport.ts'

/** What was asked about is not there; the message says so. */
export class NotFound extends Error {
  override name = 'NotFound'
}

/** A ledger and what remembers it, to read. */
export interface AuditedLedger {
  readonly store: EventStore
  readonly models: readonly AuditedModel[]
  readonly dataDir: string
  readonly gaps: Evidence['gaps']
  readonly hashed: Evidence['hashed']
  snapshot(): Promise<PostgresSnapshot>
  userOf(email: string): Promise<string | undefined>
}

type Ask<Name extends Command['name']> = Extract<Command, { name: Name }>
type Print = (text: string) => void

/** @returns the exit code  @throws NotFound what was asked about is not there @throws UsageError a file cannot be used */
export function carryOut(command: Exclude<Command, { name: 'help' }>, ledger: AuditedLedger, print: Print) {
  switch (command.name) {
    case 'verify':
      return carryOutVerify(command, ledger, print)
    case 'statement':
      return carryOutStatement(command, ledger, print)
    case 'explain':
      return carryOutExplain(command, ledger, print)
    case 'export':
      return carryOutExport(command, ledger, print)
  }
}

/** Everything there is to hold the log against, while `use` runs. */
async function withEvidence<T>(
  { snapshot: take, models, gaps, hashed }: AuditedLedger,
  earlier: readonly RememberedHeads[],
  use: (evidence: Evidence) => Promise<T>,
): Promise<T> {
  const snapshot = await take()
  try {
    const own = await snapshot.heads()
    return await use({ hashed, models, snapshot, gaps, remembered: [...(own ? [own] : []), ...earlier] })
  } finally {
    await snapshot.close()
  }
}

async function carryOutVerify({ heads, json }: Ask<'verify'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const earlier = heads === undefined ? undefined : await earlierHeads(heads)
  const found = await withEvidence(ledger, earlier ? [earlier] : [], (evidence) => verify(ledger.store, evidence))
  const verification = {
    ...verificationOf(found),
    comparedWith: earlier && { by: earlier.by, key: earlier.fingerprint },
  }
  if (json) print(JSON.stringify(verification, null, 2))
  else {
    if (earlier) print(`${earlier.by} was signed with the key ${earlier.fingerprint}\n`)
    print(verifyReport(verification))
  }
  return found.ok ? 0 : 1
}

async function carryOutStatement(command: Ask<'statement'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const { user, format } = command
  const userId = user.includes('@') ? await ledger.userOf(user) : user.toLowerCase()
  const asked = { ...command, now: new Date().toISOString() }
  const statement = userId === undefined ? undefined : await statementOf(ledger.store, { ...asked, userId })
  if (!statement) throw new NotFound(`--user: there is no credit account of ${user}.`)
  if (format === 'json') print(JSON.stringify(statement, null, 2))
  else print(format === 'csv' ? statementCsv(statement) : statementReport(statement))
  return 0
}

async function carryOutExplain({ task, json }: Ask<'explain'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const explanation = await explain(ledger.store, task)
  if (!explanation) throw new NotFound(`--task: no event is about ${task}.`)
  print(json ? JSON.stringify(explanation, null, 2) : explanationReport(explanation))
  return 0
}

async function carryOutExport({ out, key: file }: Ask<'export'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const key = signingKey(file, ledger.dataDir)
  const at = new Date().toISOString()
  const { found, fingerprint } = await withEvidence(ledger, [], (evidence) =>
    writeArchive(ledger.store, { ...evidence, out, key, at }),
  )
  print(`${out}: ${found.events} events of ${found.streams} streams, signed with the key ${fingerprint}`)
  if (found.ok) return 0
  print(`The ledger deviates; the archive holds it as it is.\n\n${verifyReport(verificationOf(found))}`)
  return 1
}
