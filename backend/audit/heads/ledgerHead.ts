import { type KeyObject, sign, verify } from 'node:crypto'
import * as z from 'zod/mini'
import { canonicalJson, textHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { fingerprint, publicPem } from '../signingKey.ts'

const FORMAT = 'kinora-head-1'
const CHECKPOINT = 'kinora-checkpoint-1'

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

/** The part of a head that may be published: it names no stream, and so no user. */
const Checkpoint = z.object({
  format: z.literal(CHECKPOINT),
  /** Public address of the installation. */
  installation: z.string(),
  createdAt: z.string(),
  position: z.string(),
  categories: z.array(z.string()),
  size: z.number(),
  root: z.string(),
})

/** A checkpoint as it is published. `signature` is Ed25519 over the canonical JSON of `checkpoint`, in base64. */
export const SignedCheckpoint = z.object({ checkpoint: Checkpoint, signature: z.string(), publicKey: z.string() })
export type SignedCheckpoint = z.infer<typeof SignedCheckpoint>

const SignedFile = z.object({ head: LedgerHead, signature: z.string(), publicKey: z.string() })

/** All events of the ledger up to a position. */
export type LedgerHead = z.infer<typeof LedgerHead>

interface Verified {
  /** SHA-256 of the text in hex. */
  readonly hash: string
  /** Fingerprint of the key that signed it. */
  readonly signedWith: string
}
/** A head whose signature is valid. */
export type SignedHead = LedgerHead & Verified
/** What a head and its checkpoint prove alike. */
export type SignedTree = Omit<z.infer<typeof Checkpoint>, 'format' | 'installation'> &
  Partial<Pick<LedgerHead, 'streams' | 'previous'>> &
  Verified

/** Returns the signed head as the text of a file. */
export function signHead(head: Omit<LedgerHead, 'format'>, key: KeyObject): string {
  const signed: LedgerHead = { format: FORMAT, ...head }
  return `${canonicalJson({ head: signed, ...signatureOf(signed, key) })}\n`
}

/** Returns the checkpoint of a head, as one line of text. */
export function signCheckpoint(
  { createdAt, position, categories, size, root }: LedgerHead,
  installation: string,
  key: KeyObject,
): string {
  const checkpoint = { format: CHECKPOINT, installation, createdAt, position, categories, size, root }
  return canonicalJson({ checkpoint, ...signatureOf(checkpoint, key) })
}

/** Returns the Ed25519 signature of a statement's canonical JSON, and the public key. */
export const signatureOf = (statement: object, key: KeyObject) => ({
  signature: sign(null, Buffer.from(canonicalJson(statement)), key).toString('base64'),
  publicKey: publicPem(key),
})

/** Parses a signed head. @throws Error the text is not a head, or its signature is invalid */
export function readHead(text: string): SignedHead {
  const parsed = z.safeParse(SignedFile, JSON.parse(text))
  if (!parsed.success) throw new Error('it is not a head of a ledger')
  const { head, ...signature } = parsed.data
  return { ...head, ...verified(head, signature) }
}

/** Parses a signed head or a checkpoint. @throws Error the text is neither, or its signature is invalid */
export function readTree(text: string): SignedTree {
  const parsed = z.safeParse(SignedCheckpoint, JSON.parse(text))
  if (!parsed.success) return readHead(text)
  const { checkpoint, ...signature } = parsed.data
  return { ...checkpoint, ...verified(checkpoint, signature) }
}

function verified(statement: object, { signature, publicKey }: Omit<SignedCheckpoint, 'checkpoint'>) {
  const signed = canonicalJson(statement)
  if (!verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64')))
    throw new Error('its signature is invalid')
  return { hash: textHash(signed), signedWith: fingerprint(publicKey) }
}
