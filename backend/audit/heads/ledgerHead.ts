import { type KeyObject, sign, verify } from 'node:crypto'
import * as z from 'zod/mini'
import { canonicalJson, textHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { fingerprint, publicPem } from '../signingKey.ts'

const FORMAT = 'kinora-head-1'

const LedgerHead = z.object({
  format: z.literal(FORMAT),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Position of the last event that the head includes. */
  position: z.string(),
  /** Categories of the streams that the head includes. */
  categories: z.array(z.string()),
  /** Number of events. */
  size: z.number(),
  /** Merkle root of the events' hashes in log order, in hex (RFC 9162). */
  root: z.string(),
  /** Roots of the complete subtrees, lowest first. */
  peaks: z.array(z.nullable(z.string())),
  /** Last event of each stream that changed since the previous head. */
  streams: z.array(z.object({ stream: z.string(), revision: z.number(), id: z.string(), hash: z.string() })),
  /** SHA-256 of the previous head's text in hex; null for the first head. */
  previous: z.nullable(z.string()),
})

const SignedFile = z.object({ head: LedgerHead, signature: z.string(), publicKey: z.string() })

/** All events of the ledger up to a position. */
export type LedgerHead = z.infer<typeof LedgerHead>

/** A head whose signature is valid. */
export interface SignedHead extends LedgerHead {
  /** SHA-256 of the head's text in hex. */
  readonly hash: string
  /** Fingerprint of the key that signed it. */
  readonly signedWith: string
}

/** Returns the signed head as the text of a file. */
export function signHead(head: Omit<LedgerHead, 'format'>, key: KeyObject): string {
  const signed: LedgerHead = { format: FORMAT, ...head }
  const signature = sign(null, Buffer.from(canonicalJson(signed)), key).toString('base64')
  return `${canonicalJson({ head: signed, signature, publicKey: publicPem(key) })}\n`
}

/** Parses a signed head. @throws Error the text is not a head, or its signature is invalid */
export function readHead(text: string): SignedHead {
  const parsed = z.safeParse(SignedFile, JSON.parse(text))
  if (!parsed.success) throw new Error('it is not a head of a ledger')
  const { head, signature, publicKey } = parsed.data
  const signed = canonicalJson(head)
  if (!verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64')))
    throw new Error('its signature is invalid')
  return { ...head, hash: textHash(signed), signedWith: fingerprint(publicKey) }
}
