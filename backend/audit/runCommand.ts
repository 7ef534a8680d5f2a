import { existsSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '../kernel/commandLine.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { writeArchive } from './archive.ts'
import type { Command } from './command.ts'
import { explain, explanationReport } from './explain.ts'
import type { RememberedHeads } from './hashChain.ts'
import { type GivenHeads, readHeads } from './heads/readHeads.ts'
import { invoiceCsv, type OpenText } from './invoiceList.ts'
import { OPERATORS_FILE, readOperatorKeys } from './operatorKeys.ts'
import type { HashVideo } from './outside/deliveredFiles.ts'
import type { ListSales } from './outside/providerSales.ts'
import type { AuditedModel, RowSnapshot } from './readModelProof.ts'
import { ownFingerprint, signingKey } from './signingKey.ts'
import { statementOf } from './statement.ts'
import { statementCsv, statementReport } from './statementReport.ts'
import { type Evidence, type Verified, verify } from './verify.ts'
import { toVerification, verifyReport } from './verifyReport.ts'
import type { StoredZero } from './zero/startZeros.ts'

/** The account or task does not exist. */
export class NotFound extends Error {
  override name = 'NotFound'
}

/** A consistent snapshot of the read models and stream heads. */
export interface LedgerSnapshot extends RowSnapshot {
  heads(): Promise<RememberedHeads>
  /** Returns the users who have received free credits, by the table of accounts. */
  welcomed(): Promise<readonly string[]>
  /** Returns the daily zeros, newest first. */
  zeros(): Promise<readonly StoredZero[]>
  close(): Promise<void>
}

/** A ledger and the evidence to compare it with. */
export interface AuditedLedger {
  readonly store: EventStore
  readonly models: readonly AuditedModel[]
  readonly dataDir: string
  /** Path of the key that signs heads and archives; if undefined, it is in `dataDir`. */
  readonly auditKeyFile: string | undefined
  readonly logState: Evidence['logState']
  readonly pages: Evidence['pages']
  takeSnapshot(): Promise<LedgerSnapshot>
  /** Opens the media storage. @throws ConfigError */
  openVideos(): HashVideo
  /** Returns the payment provider's list of sales. @throws ConfigError */
  openSales(): ListSales
  /** Opens the texts of invoices. @throws ConfigError */
  openTexts(): Promise<OpenText>
  findUserId(email: string): Promise<string | undefined>
}

/** Exit code of a comparison that found no deviation, but did not include every row of every read model. */
export const INCOMPLETE = 3

const UNSIGNED =
  'Anyone may have signed them: no key is known that signs heads and daily zeros. Name its fingerprint with --signer.'

const UNKNOWN =
  'Without --heads, this cannot show that the end of a stream or a whole stream was removed or rewritten together with ' +
  'the read models.'

type CommandOf<Name extends Command['name']> = Extract<Command, { name: Name }>
type Print = (text: string) => void

/**
 * Runs a command and returns the exit code.
 * @throws NotFound the account or task does not exist
 * @throws UsageError a file cannot be used
 */
export function runCommand(command: Command, ledger: AuditedLedger, print: Print) {
  switch (command.name) {
    case 'verify':
      return runVerify(command, ledger, print)
    case 'statement':
      return runStatement(command, ledger, print)
    case 'explain':
      return runExplain(command, ledger, print)
    case 'invoices':
      return runInvoices(ledger, print)
    case 'export':
      return runExport(command, ledger, print)
  }
}

/** Calls `use` with all available evidence, read from one snapshot. */
async function withEvidence<T>(
  { takeSnapshot, models, logState, pages, dataDir }: AuditedLedger,
  given: GivenHeads | undefined,
  signers: readonly string[],
  operatorKeys: string | undefined,
  use: (evidence: Evidence) => Promise<T>,
): Promise<T> {
  if (operatorKeys !== undefined && !existsSync(operatorKeys))
    throw new UsageError(`--operator-keys: there is no file ${operatorKeys}.`)
  const operators = readOperatorKeys(operatorKeys ?? path.join(dataDir, OPERATORS_FILE))
  const snapshot = await takeSnapshot()
  try {
    const remembered = [await snapshot.heads(), ...(given ? [given.remembered] : [])]
    const outside = { heads: given?.signed, headFaults: given?.faults }
    const welcomed = await snapshot.welcomed()
    const zeros = { stored: await snapshot.zeros(), signers }
    return await use({ pages, models, snapshot, logState, welcomed, remembered, operators, zeros, ...outside })
  } finally {
    await snapshot.close()
  }
}

/** Returns the fingerprint of the installation's key, if there is one. */
function ownSigners({ auditKeyFile, dataDir }: AuditedLedger): string[] {
  const own = ownFingerprint(auditKeyFile, dataDir)
  return own === undefined ? [] : [own]
}

async function runVerify(command: CommandOf<'verify'>, ledger: AuditedLedger, print: Print): Promise<number> {
  const { heads, operatorKeys, files, withProvider, json } = command
  const own = ownSigners(ledger)
  const signers = command.signer?.split(',') ?? own
  const given = heads === undefined ? undefined : await readHeads(heads, signers)
  const hashVideo = files ? ledger.openVideos() : undefined
  const listSales = withProvider ? ledger.openSales() : undefined
  const compare = (evidence: Evidence) => verify(ledger.store, { ...evidence, hashVideo, listSales })
  const found = await withEvidence(ledger, given, [...signers, ...own], operatorKeys, compare)
  const isProven = signers.length > 0 || (!given && found.zeros === 0)
  const verification = {
    ...toVerification(found),
    ok: found.ok && isProven,
    comparedWith: given && { by: given.by, keys: given.keys, isProven },
    unknown: given ? undefined : UNKNOWN,
  }
  if (json) print(JSON.stringify(verification, null, 2))
  else {
    const report = verifyReport(verification)
    const signed = given && `${given.by}: signed with the key ${given.keys.join(', ')}`
    print(
      [...(signed ? [signed] : []), ...(isProven ? [] : [UNSIGNED]), report, ...(given ? [] : [UNKNOWN])].join('\n\n'),
    )
  }
  return exitCode(found) || (isProven ? 0 : INCOMPLETE)
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

async function runInvoices({ store, openTexts }: AuditedLedger, print: Print): Promise<number> {
  for await (const line of invoiceCsv(store, await openTexts())) print(line.trimEnd())
  return 0
}

async function runExport({ out, key: file }: CommandOf<'export'>, ledger: AuditedLedger, print: Print) {
  const key = signingKey(file ?? ledger.auditKeyFile, ledger.dataDir)
  const at = new Date().toISOString()
  const { found, fingerprint } = await withEvidence(ledger, undefined, ownSigners(ledger), undefined, (evidence) =>
    writeArchive(ledger.store, { ...evidence, out, key, at }),
  )
  print(`${out}: ${found.events} events of ${found.streams} streams, signed with the key ${fingerprint}`)
  if (found.ok) return 0
  print(`The ledger is not proven; the archive contains it as it is.\n\n${verifyReport(toVerification(found))}`)
  return exitCode(found)
}

const exitCode = ({ ok, deviationCount }: Verified) => (ok ? 0 : deviationCount > 0 ? 1 : INCOMPLETE)
