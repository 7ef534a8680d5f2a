import type { Serve } from '../../kernel/http/endpoint.ts'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import * as contract from './contract.ts'
import type { Receipts } from './receipts.ts'

/** Proofs read a part of the log. */
const PROOFS = { burst: 60, everyMs: 2_000 }

interface ReceiptRoutes {
  readonly receipts: Receipts
  /** Rejects if the subject has used its share of an action. */
  readonly throttle: (action: 'receipt', subject: string, limit: typeof PROOFS) => Promise<void>
}

/** Serves receipts, and the proofs that the ledger only grows. */
export function serveReceipts(serve: Serve, { receipts, throttle }: ReceiptRoutes): void {
  serve(contract.receipt, async ({ userId, params, query, ctx }) => {
    ctx.attachment(`kinora-receipt-${params.taskId.slice(0, 8)}.json`, { type: 'inline' })
    return receipts.issue(await receipts.readOwn(userId, params.taskId), { texts: query.texts === 'true' })
  })

  serve(contract.filmReceipt, async ({ params, ctx }) => {
    await throttle('receipt', networkAddress(ctx), PROOFS)
    return receipts.issue(await receipts.readOfFilm(params.taskId, params.hold))
  })

  serve(contract.consistency, async ({ query: { from, to }, ctx }) => {
    await throttle('receipt', networkAddress(ctx), PROOFS)
    return receipts.consistency(from, to)
  })
}
