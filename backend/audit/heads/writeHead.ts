import type { KeyObject } from 'node:crypto'
import type { EventStore, GlobalPosition } from '../../kernel/eventsourcing/eventStore.port.ts'
import { eventHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { Head } from '../hashChain.ts'
import { LEDGER_CATEGORIES } from '../ledgerEvents.ts'
import { readLedger } from '../readLedger.ts'
import { fingerprint, publicPem } from '../signingKey.ts'
import { readHead, type SignedHead, signHead } from './ledgerHead.ts'
import { MerkleLog } from './merkleLog.ts'

/** Stores heads outside the database. */
export interface HeadPlace {
  /** Stores a head under a name that sorts by time. */
  put(name: string, text: string): Promise<void>
  /** Returns the head that was stored last; undefined if there is none. */
  latest(): Promise<string | undefined>
}

/** Events per page. Hashing a page blocks the process for a few milliseconds. */
const PAGE = 500
/** Streams that a head lists at most. A longer part of the log gets several heads. */
const MAX_LISTED = 100_000

/** The root of a complete subtree of {@link CHUNK} events, and the position of its last event. */
export type Chunk = Readonly<{ root: string; last: GlobalPosition }>

/** Stores the part of the tree from which proofs are made. */
export interface TreeStore {
  /** Returns the number of events that the stored tree includes; undefined if there is none. */
  size(): Promise<number | undefined>
  /** Stores what was added since the last call. `isFirst`: everything that was stored before is void. */
  add(head: SignedHead, chunks: readonly Chunk[], isFirst: boolean): Promise<void>
}

/** Height of the subtrees that are stored. */
const CHUNK_HEIGHT = 10
/** Events of a stored subtree. */
export const CHUNK = 2 ** CHUNK_HEIGHT

interface Writing {
  readonly key: KeyObject
  /** ISO 8601. */
  readonly createdAt: string
  readonly signal: AbortSignal
  /** Streams per head. */
  readonly maxListed?: number
  /** Takes the tree with each head. Without it, receipts have no proofs. */
  readonly tree?: TreeStore
  /** Called with the previous head if the log lacks its last event, as after a restore. */
  readonly onLost?: (previous: SignedHead) => void
}

/**
 * Stores a signed head of the ledger, or several if many streams changed. Reads only the events since the previous head,
 * or all events if that was signed with another key, lacks a category, or includes events that the log has lost.
 * @returns the number of new events; 0 if there are none, and then no head is stored
 * @throws Error the place cannot be used, or its latest head is damaged
 */
export async function writeHead(store: EventStore, place: HeadPlace, writing: Writing): Promise<number> {
  const { key, createdAt, signal, maxListed = MAX_LISTED, tree: stored, onLost } = writing
  const latest = await place.latest()
  const previous = latest === undefined ? undefined : readHead(latest)
  const categories = [...LEDGER_CATEGORIES]
  const isLost = previous !== undefined && !(await hasLastEvent(store, previous))
  if (isLost) onLost?.(previous)
  const isContinued =
    !isLost &&
    previous?.categories.join() === categories.join() &&
    previous.signedWith === fingerprint(publicPem(key)) &&
    (!stored || (await stored.size()) === previous.size)
  let chunks: Chunk[] = []
  const tree = new MerkleLog(isContinued ? previous.peaks : [], (height, root) => {
    if (height === CHUNK_HEIGHT) chunks.push({ root: root.toString('hex'), last: position! })
  })
  const streams = new Map<string, Head>()
  let follows = previous?.hash ?? null
  let position = isContinued ? (previous.position as GlobalPosition) : undefined
  let [added, heads] = [0, 0]
  const put = async () => {
    signal.throwIfAborted()
    const { size, root, peaks } = tree
    const listed = { streams: [...streams.values()], previous: follows }
    const text = signHead({ createdAt, position: position!, categories, size, root, peaks: [...peaks], ...listed }, key)
    const part = heads === 0 ? '' : String(heads).padStart(4, '0')
    await place.put(`${createdAt.replace(/\D/g, '')}${part}.json`, text)
    const head = readHead(text)
    await stored?.add(head, chunks, heads === 0 && !isContinued)
    follows = head.hash
    heads += 1
    chunks = []
    streams.clear()
  }
  for await (const page of readLedger(store, { from: position, page: PAGE })) {
    signal.throwIfAborted()
    for (const event of page) {
      const hash = eventHash(event)
      const { stream, revision, id } = event
      position = event.position
      tree.add(hash)
      // The last event is listed last: the next head looks for it.
      streams.delete(stream)
      streams.set(stream, { stream, revision, id, hash })
      added += 1
      if (streams.size >= maxListed) await put()
    }
  }
  if (streams.size > 0) await put()
  return added
}

/** Returns whether the log has the last event of a head. A head that lists no streams names no event. */
async function hasLastEvent(store: EventStore, { streams }: SignedHead): Promise<boolean> {
  const last = streams?.at(-1)
  if (!last) return true
  for await (const { id } of store.readStream(last.stream, last.revision)) return id === last.id
  return false
}
