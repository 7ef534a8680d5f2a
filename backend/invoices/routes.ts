import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { createRateLimit } from '../kernel/sharedRateLimit.ts'
import type { createBillingDetails } from './billingDetails.ts'
import * as contract from './contract.ts'
import type { Invoicing } from './issueDocuments.ts'

/** PDFs that a user may ask for, because drawing one takes a tenth of a second of a core. Counted in each process. */
const PDFS_PER_MINUTE = 30

interface InvoiceRoutes {
  readonly billing: ReturnType<typeof createBillingDetails>
  readonly invoicing: Pick<Invoicing, 'pdf'>
}

export function serveInvoices(serve: Serve, { billing, invoicing }: InvoiceRoutes): void {
  const limit = createRateLimit(PDFS_PER_MINUTE)

  serve(contract.billingDetails, ({ userId }) => billing.read(userId))

  serve(contract.saveBillingDetails, async ({ userId, body }) => {
    await billing.save(userId, body)
    return body
  })

  serve(contract.invoicePdf, async ({ userId, params: { id }, ctx }) => {
    limit.take(userId)
    const found = isUuid(id) ? await invoicing.pdf(id, userId) : undefined
    if (!found) throw new Rejection('not_found', 'There is no such invoice.')
    ctx.type = 'application/pdf'
    ctx.attachment(found.name, { type: 'inline' })
    ctx.body = Buffer.from(found.pdf)
    return undefined
  })
}
