import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'

export const RECEIPT_FORMAT = 'kinora-receipt-1'

/** An event in the life of a charge. It names no user. */
export const ReceiptEvent = z.object({
  type: z.string(),
  /** Time in the event, ISO 8601. */
  at: z.string(),
  /** Position in the log. */
  position: z.string(),
  /** SHA-256 of the event's text in hex. */
  hash: z.string(),
  /** What the event says, such as credits, the engine or the hash of the file. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})
export type ReceiptEvent = z.infer<typeof ReceiptEvent>

/** The statement that the installation signs. */
const Statement = z.object({
  format: z.literal(RECEIPT_FORMAT),
  /** Public address of the installation. */
  installation: z.string(),
  task: z.string(),
  outcome: z.enum(['held', 'captured', 'released']),
  /** Credits that were held. */
  credits: z.number(),
  events: z.array(ReceiptEvent),
})

const Checkpoint = z.object({
  checkpoint: z.object({
    format: z.string(),
    installation: z.string(),
    createdAt: z.string(),
    position: z.string(),
    categories: z.array(z.string()),
    /** Number of events. */
    size: z.number(),
    /** Merkle root of their hashes (RFC 9162) in hex. */
    root: z.string(),
  }),
  /** Ed25519 over the canonical JSON of `checkpoint`, in base64. */
  signature: z.string(),
  /** PEM. */
  publicKey: z.string(),
})

export const Receipt = z.object({
  receipt: Statement,
  /** Ed25519 over the canonical JSON of `receipt`, in base64; missing if this process has no key. */
  signature: z.optional(z.string()),
  publicKey: z.optional(z.string()),
  /** Newest checkpoint of the ledger; null before the first. */
  checkpoint: z.nullable(Checkpoint),
  /** For each event, its place in that checkpoint; null for an event that is newer. */
  proofs: z.array(z.nullable(z.object({ index: z.number(), path: z.array(z.string()) }))),
  /** For each event, the text that its hash covers. It contains the id of the account. */
  texts: z.optional(z.array(z.string())),
})
export type Receipt = z.infer<typeof Receipt>

export const receipt = endpoint('GET /credits/receipts/:taskId', {
  access: 'user',
  scope: 'account:read',
  query: z.object({ texts: z.optional(z.enum(['true', 'false'])) }),
  answer: Receipt,
  refuses: ['not_found'],
  summary: 'The life of one charge with the proof that it is in the ledger; `texts` adds what the hashes cover',
})

export const filmReceipt = endpoint('GET /receipts/:taskId/:hold', {
  access: 'public',
  answer: Receipt,
  refuses: ['not_found', 'too_many_requests'],
  summary: 'The same for who has the file: `hold` is the hash of the hold in its content credentials',
})

export const consistency = endpoint('GET /ledger/consistency', {
  access: 'public',
  query: z.object({
    from: z.coerce.number().check(z.int(), z.gte(1)),
    to: z.coerce.number().check(z.int(), z.gte(1)),
  }),
  answer: z.object({ from: z.number(), to: z.number(), path: z.array(z.string()) }),
  refuses: ['not_found', 'too_many_requests'],
  summary: 'Proof that the ledger of `to` events begins with that of `from` events (RFC 9162)',
})
