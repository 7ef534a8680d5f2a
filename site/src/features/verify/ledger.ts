import { consistency, filmReceipt, type Receipt } from '#backend/audit/receipts/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import type { Reading } from './readFile.ts'
import { type Fault, faultOf, isConsistent, type Tree } from './receiptProof.ts'
import type { Assertion } from './report.ts'

/** What this installation publishes of itself. */
export interface Published {
  readonly installation: string
  /** PEM. */
  readonly certificates: readonly string[]
  readonly heads: readonly NonNullable<Receipt['checkpoint']>[]
}

let published: Published | undefined

/** Returns what this installation publishes; undefined without a connection. It is asked for until it answers. */
export async function readPublished(): Promise<Published | undefined> {
  published ??= await fetch('/.well-known/kinora.json').then(
    (answer) => (answer.ok ? answer.json() : undefined),
    () => undefined,
  )
  return published
}

/** What the ledger says of the charge that a film names. */
export type Charge =
  | { readonly kind: 'offline' | 'missing' }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | {
      readonly kind: 'proven'
      readonly document: Receipt
      readonly isConsistent: boolean
      readonly isOriginal: boolean
    }

/** The newest tree that this browser has seen. */
const SEEN = 'kinora-ledger'

function seenTree(): Tree | undefined {
  try {
    const { size, root } = JSON.parse(localStorage.getItem(SEEN) ?? 'null') ?? {}
    return Number.isSafeInteger(size) && typeof root === 'string' ? { size, root } : undefined
  } catch {
    return undefined
  }
}

function remember({ size, root }: Tree): void {
  try {
    localStorage.setItem(SEEN, JSON.stringify({ size, root }))
  } catch {
    // Private windows may refuse. The heads of others still count.
  }
}

/** Returns whether a tree is the beginning of the present one. @throws ApiError */
async function continues(earlier: Tree, now: Tree): Promise<boolean> {
  // A checkpoint is larger than one that was published before it.
  if (earlier.size > now.size) return false
  if (earlier.size === now.size) return earlier.root === now.root
  const { path } = await call(consistency, { query: { from: earlier.size, to: now.size } })
  return isConsistent(earlier, now, path)
}

/** Asks the ledger for the charge that a film names, and follows its proofs. */
export async function readCharge(film: Assertion, { marks, sha256 }: Reading): Promise<Charge> {
  try {
    const params = { taskId: film.task, hold: film.hold.event }
    const document = await call(filmReceipt, { params })
    const fault = await faultOf(document, film, marks.aigc?.id)
    if (fault) return { kind: 'fault', fault }
    const now = document.checkpoint?.checkpoint
    const heads = [film.head, seenTree()].filter((head) => head != null)
    for (const head of heads) if (!now || !(await continues(head, now))) return { kind: 'fault', fault: 'rewritten' }
    if (now) remember(now)
    const isOriginal = document.receipt.events.some(
      ({ facts }) => facts.sha256 !== undefined && facts.sha256 === sha256,
    )
    return { kind: 'proven', document, isConsistent: heads.length > 0, isOriginal }
  } catch (error) {
    return { kind: error instanceof ApiError && error.status === 404 ? 'missing' : 'offline' }
  }
}
