import { describe, expect, it } from 'vitest'
import { leafHash, MerkleLog, nodeHash } from '#backend/audit/heads/merkleLog.ts'
import type { Receipt } from '#backend/audit/receipts/contract.ts'
import { textHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { faultOf, isConsistent } from './receiptProof.ts'
import type { Assertion } from './report.ts'

const EVENTS = Array.from({ length: 11 }, (_, n) => textHash(`event ${n}`))
const HOLD = 6

const treeOf = (events: readonly string[]) => {
  const log = new MerkleLog()
  for (const event of events) log.add(event)
  return { size: events.length, root: log.root }
}

/** The reference of RFC 9162, written as the recursion of its definitions. */
const split = (n: number) => 2 ** Math.floor(Math.log2(n - 1))
const rootOf = (events: readonly string[]): Buffer => {
  if (events.length === 1) return leafHash(events[0]!)
  const k = split(events.length)
  return nodeHash(rootOf(events.slice(0, k)), rootOf(events.slice(k)))
}
const pathOf = (index: number, events: readonly string[]): Buffer[] => {
  if (events.length === 1) return []
  const k = split(events.length)
  const [left, right] = [events.slice(0, k), events.slice(k)]
  return index < k ? [...pathOf(index, left), rootOf(right)] : [...pathOf(index - k, right), rootOf(left)]
}
const consistency = (size: number, events: readonly string[], isWhole = true): Buffer[] => {
  if (size === events.length) return isWhole ? [] : [rootOf(events)]
  const k = split(events.length)
  const [left, right] = [events.slice(0, k), events.slice(k)]
  return size <= k
    ? [...consistency(size, left, isWhole), rootOf(right)]
    : [...consistency(size - k, right, false), rootOf(left)]
}
const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'))

const FILM: Assertion = {
  ...{
    installation: 'https://kinora.example',
    task: 'task',
    engine: 'demo',
    engine_model: null,
    credits: 30,
    head: null,
  },
  hold: { event: EVENTS[HOLD]!, position: '7' },
}
const document = (): Receipt => ({
  receipt: {
    ...{ format: 'kinora-receipt-1', installation: FILM.installation, task: 'task', outcome: 'captured', credits: 30 },
    events: [{ type: 'CreditsHeld', at: '', position: '7', hash: EVENTS[HOLD]!, facts: { credits: 30 } }],
  },
  proofs: [{ index: HOLD, path: hex(pathOf(HOLD, EVENTS)) }],
  checkpoint: {
    checkpoint: {
      ...{
        format: 'kinora-checkpoint-1',
        installation: FILM.installation,
        createdAt: '',
        position: '11',
        categories: [],
      },
      ...treeOf(EVENTS),
    },
    // Without a key, only the proofs count.
    ...{ signature: '', publicKey: '' },
  },
})

describe('the page names', () => {
  it('no fault of a receipt that belongs to the film and leads to its checkpoint', async () => {
    expect(await faultOf(document(), FILM, 'task')).toBeUndefined()
  })

  it.each<[string, (given: Receipt) => unknown, string]>([
    ['a receipt of another film', ({ receipt }) => Object.assign(receipt, { task: 'other' }), 'otherFilm'],
    ['another hold', ({ receipt }) => Object.assign(receipt.events[0]!, { hash: EVENTS[0] }), 'rewritten'],
    ['a hold at another position', ({ receipt }) => Object.assign(receipt.events[0]!, { position: '8' }), 'rewritten'],
    ['a missing hold', ({ receipt }) => receipt.events.pop(), 'rewritten'],
    ['another price', ({ receipt }) => Object.assign(receipt, { credits: 3 }), 'forged'],
    ['a proof of another event', ({ proofs }) => Object.assign(proofs[0]!, { index: 5 }), 'forged'],
    ['a shorter proof', ({ proofs }) => proofs[0]!.path.pop(), 'forged'],
    ['a proof without a checkpoint', (given) => Object.assign(given, { checkpoint: null }), 'forged'],
    ['another root', ({ checkpoint }) => Object.assign(checkpoint!.checkpoint, { root: EVENTS[0] }), 'forged'],
  ])('%s', async (_, change, fault) => {
    const given = document()
    change(given)
    expect(await faultOf(given, FILM, 'task')).toBe(fault)
  })

  it('a receipt that was copied onto a film with another id in its AIGC field', async () => {
    expect(await faultOf(document(), FILM, 'other')).toBe('otherFilm')
  })
})

describe('a proof of consistency', () => {
  it('holds between each two sizes, and for no other past', async () => {
    for (let from = 1; from <= EVENTS.length; from++)
      for (let to = from; to <= EVENTS.length; to++) {
        const events = EVENTS.slice(0, to)
        const proof = hex(consistency(from, events))
        expect(await isConsistent(treeOf(EVENTS.slice(0, from)), treeOf(events), proof)).toBe(true)
        const rewritten = [textHash('rewritten'), ...EVENTS.slice(1, from)]
        expect(await isConsistent(treeOf(rewritten), treeOf(events), proof)).toBe(false)
      }
  })
})
