import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import { readHold } from '#projections/credits/readCreditEntries.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { eventHash, hashedText } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { asOwned, type Owned } from '../../kernel/ownership.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { signatureOf } from '../heads/ledgerHead.ts'
import { openTree, readCheckpoints } from '../heads/ledgerTree.ts'
import { type Charge, factsOf, readCharge } from './charge.ts'
import { RECEIPT_FORMAT, type Receipt, type ReceiptEvent } from './contract.ts'

interface ReceiptDeps {
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly database: Database
  readonly publicUrl: () => string
  /** Returns the key that signs heads; undefined if this process has none. */
  readonly key: () => KeyObject | undefined
}

const notFound = () => new Rejection('not_found', 'There is no receipt for this video.')

/**
 * Creates the read side of receipts. They name no user, unless `texts` are asked for. See
 * docs/decisions/0076-films-with-receipts.md.
 */
export function createReceipts({ store, pool, database, publicUrl, key }: ReceiptDeps) {
  const find = async (taskId: string): Promise<Charge> => {
    const charge = isUuid(taskId)
      ? await readCharge(store, (id) => readHold(database, id), taskId.toLowerCase())
      : undefined
    if (!charge) throw notFound()
    return charge
  }

  return {
    /** Returns the user's charge of a task. @throws Rejection not_found, also if it is another user's */
    async readOwn(userId: string, taskId: string): Promise<Owned<Charge>> {
      const charge = await find(taskId)
      // A film of a team has a receipt for who paid, and for who made it.
      if (charge.userId !== userId && charge.hold.data.spentBy !== userId) throw notFound()
      return asOwned(charge)
    },

    /** Returns the charge of a task to who knows the hash of its hold, as who has the file does. @throws Rejection not_found */
    async readOfFilm(taskId: string, hold: string): Promise<Owned<Charge>> {
      const charge = await find(taskId)
      if (eventHash(charge.hold) !== hold) throw notFound()
      return asOwned(charge)
    },

    async issue({ hold, outcome, credits, events }: Owned<Charge>, { texts = false } = {}): Promise<Receipt> {
      const [checkpoint = null] = await readCheckpoints(pool, 1)
      const listed = events.flatMap((event) => {
        const facts = factsOf(event)
        if (!facts) return []
        const { type, data, position } = event
        return { event, line: { type, at: data.at, position, hash: eventHash(event), facts } satisfies ReceiptEvent }
      })
      const tree = await openTree(pool, store)
      const proofs: Receipt['proofs'] = []
      for (const { event } of listed) {
        const proof = checkpoint ? await tree.inclusion(event.position, checkpoint.checkpoint.size) : undefined
        proofs.push(proof ? { index: proof.index, path: [...proof.path] } : null)
      }
      const receipt = {
        format: RECEIPT_FORMAT,
        installation: publicUrl(),
        task: hold.data.holdId,
        ...{ outcome, credits },
        events: listed.map(({ line }) => line),
      } as const
      const signing = key()
      return {
        receipt,
        ...(signing && signatureOf(receipt, signing)),
        checkpoint,
        proofs,
        ...(texts && { texts: listed.map(({ event }) => hashedText(event)) }),
      }
    },

    /** Returns the proof that the ledger only grew between two sizes. @throws Rejection not_found the ledger is smaller */
    async consistency(from: number, to: number) {
      const [newest] = await readCheckpoints(pool, 1)
      if (!newest || from > to || to > newest.checkpoint.size)
        throw new Rejection('not_found', 'The ledger has no such checkpoints.')
      return { from, to, path: [...(await (await openTree(pool, store)).consistency(from, to))] }
    },
  }
}

export type Receipts = ReturnType<typeof createReceipts>
