import type { EventStore } from '../eventsourcing/eventStore.ts'
import type { Command } from './command.ts'
import type { PostgresSnapshot } from './postgresEvidence.ts'
import type { AuditedModel } from './readModelProof.ts'
import type { Evidence } from './verify.ts'
import { verify } from './verify.ts'
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
  readonly gaps: Evidence['gaps'] | undefined
  snapshot(): Promise<PostgresSnapshot>
  userOf(email: string): Promise<string | undefined>
}

/** @returns the exit code  @throws NotFound what was asked about is not there */
export async function carryOut(
  command: Exclude<Command, { name: 'help' }>,
  ledger: AuditedLedger,
  print: (text: string) => void,
): Promise<number> {
  switch (command.name) {
    case 'verify': {
      const snapshot = await ledger.snapshot()
      try {
        const own = await snapshot.heads()
        const evidence = { ...ledger, snapshot, remembered: own ? [own] : [] }
        const found = verificationOf(await verify(ledger.store, evidence))
        print(command.json ? JSON.stringify(found, null, 2) : verifyReport(found))
        return found.ok ? 0 : 1
      } finally {
        await snapshot.close()
      }
    }
    default:
      return 1
  }
}
