import { type CreditBalanceRow, creditBalances } from '#projections/credits/creditBalance.ts'
import { type CreditEntryRow, creditEntries } from '#projections/credits/creditEntry.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { type InvoiceRow, invoices } from '#projections/subscriptions/invoice.ts'
import type { AuditedModel } from '../../audit/readModelProof.ts'
import { CREDIT_ACCOUNT } from '../../credits/events.ts'
import { SUBSCRIPTION } from '../../subscriptions/events.ts'

function audited<Row extends object>(
  projection: AnyProjection,
  placeOf: (row: Row) => { stream: string; revision: number | null },
): AuditedModel {
  return {
    name: projection.name,
    version: projection.version,
    table: tableName(projection),
    // The ledger holds only credit and subscription events, and event types are unique.
    knows: ({ type }) => type in projection.on,
    rowId: (event) => projection.row(event),
    fold: (row, event) => projection.on[event.type]!(row, event),
    placeOf: placeOf as AuditedModel['placeOf'],
  }
}

const ofAccount = (userId: string, revision: number | null) => ({ stream: `${CREDIT_ACCOUNT}-${userId}`, revision })

/** Read models that the audit compares row by row. The table chain_head is compared with the hash chains instead. */
export const AUDITED_MODELS: readonly AuditedModel[] = [
  audited<CreditBalanceRow>(creditBalances, ({ id }) => ofAccount(id, null)),
  audited<CreditEntryRow>(creditEntries, ({ user_id, revision }) => ofAccount(user_id, revision)),
  audited<InvoiceRow>(invoices, ({ user_id }) => ({ stream: `${SUBSCRIPTION}-${user_id}`, revision: null })),
]
