import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCredits } from '../../credits/credits.ts'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { derivedId, eventHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { signatureOf, signCheckpoint } from '../heads/ledgerHead.ts'
import { openTree, readCheckpoints, treeStoreIn } from '../heads/ledgerTree.ts'
import { CHUNK, writeHead } from '../heads/writeHead.ts'
import { readLedger } from '../readLedger.ts'
import { projectLedger } from '../testing/projectLedger.ts'
import { LEDGER, seedLedger } from '../testing/seedLedger.ts'
import type { Receipt } from './contract.ts'
import { createReceipts } from './receipts.ts'

const { buyer, other, finished, failed, open } = LEDGER
const INSTALLATION = 'https://kinora.example'
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-receipts-'))
const { privateKey: key } = generateKeyPairSync('ed25519')
let db: TemporaryDatabase
let latest: string | undefined
let hour = 0

const write = (signedWith: KeyObject = key) =>
  writeHead(
    db.store,
    {
      latest: async () => latest,
      async put(_, text) {
        latest = text
      },
    },
    {
      key: signedWith,
      createdAt: `2026-01-10T${String(hour++).padStart(2, '0')}:00:00.000Z`,
      signal: new AbortController().signal,
      tree: treeStoreIn(db.pool, (head) => signCheckpoint(head, INSTALLATION, signedWith)),
    },
  )
const grants = async (name: string, count: number) => {
  const credits = createCredits(createHandle(db.store))
  for (let n = 0; n < count; n++) await credits.grantFreeCredits(derivedId(name, n), 60)
}
const receiptsWith = (own: KeyObject | undefined) =>
  createReceipts({ ...db, publicUrl: () => INSTALLATION, key: () => own })
const issue = async (userId: string, taskId: string, texts = false) => {
  const receipts = receiptsWith(key)
  return receipts.issue(await receipts.readOwn(userId, taskId), { texts })
}

const checker = path.resolve(import.meta.dirname, '../../../docs/check_receipt.py')
const inFolder = (name: string) => path.join(folder, name)
const check = (receipt: object, ...args: string[]) => {
  writeFileSync(inFolder('receipt.json'), JSON.stringify(receipt))
  const { status, stdout, stderr } = spawnSync('python3', [checker, inFolder('receipt.json'), ...args], {
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}
const saved = (name: string, content: object | Buffer | undefined) => {
  writeFileSync(inFolder(name), Buffer.isBuffer(content) ? content : JSON.stringify(content))
  return inFolder(name)
}
/** A copy of a receipt with a change. */
const changed = (receipt: Receipt, change: (copy: Receipt) => void): Receipt => {
  const copy = structuredClone(receipt)
  change(copy)
  return copy
}

beforeAll(async () => {
  db = await startTemporaryDatabase()
  await seedLedger(db.store)
  await write()
  await grants('before', CHUNK)
  await write()
  await grants('after', 300)
  await write()
  await projectLedger(db.store, db.database)
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the tree of the ledger', () => {
  it('proves every event of the log in every checkpoint that includes it, beyond a stored subtree too', async () => {
    const checkpoints = await readCheckpoints(db.pool, 10)
    expect(checkpoints.map(({ checkpoint }) => checkpoint.size)).toEqual([24 + CHUNK + 300, 24 + CHUNK, 24])
    const tree = await openTree(db.pool, db.store)
    const events = (await Array.fromAsync(readLedger(db.store))).flat()
    for (const { checkpoint, ...signed } of checkpoints)
      for (const index of [0, 23, 24, 1000, CHUNK - 1, CHUNK, 1300]) {
        const event = events[index]!
        const proof = await tree.inclusion(event.position, checkpoint.size)
        expect(proof?.index).toBe(index < checkpoint.size ? index : undefined)
        if (!proof) continue
        const document = await issue(buyer, finished)
        const line = { type: 'CreditsHeld', at: '', position: '', hash: eventHash(event), facts: {} }
        const statement = { ...document.receipt, outcome: 'held' as const, events: [line] }
        const given = { receipt: statement, checkpoint: { checkpoint, ...signed }, proofs: [proof] }
        expect(check(given)).toMatchObject({ status: 0, said: expect.stringContaining('1 of 1 events proven') })
      }
  })

  it('proves that each checkpoint continues each earlier one', async () => {
    const document = await issue(buyer, finished)
    const receipts = receiptsWith(key)
    for (const kept of await readCheckpoints(db.pool, 10)) {
      const { size } = document.checkpoint!.checkpoint
      const proof = await receipts.consistency(kept.checkpoint.size, size)
      const args = ['--head', saved('kept.json', kept), '--proof', saved('proof.json', proof)]
      expect(check(document, ...args)).toMatchObject({ status: 0 })
      for (const path of [proof.path.slice(1), proof.path.slice(0, -1), []].slice(
        kept.checkpoint.size < size ? 0 : 3,
      )) {
        saved('proof.json', { ...proof, path })
        expect(check(document, ...args)).toMatchObject({ status: 1 })
      }
    }
    // A root that is said to be that of fewer events too.
    const { checkpoint } = document.checkpoint!
    const smaller = { ...checkpoint, size: 24 }
    const forged = { ...signatureOf(smaller, key), checkpoint: smaller }
    const args = ['--head', saved('kept.json', forged), '--proof', saved('proof.json', { path: [] })]
    expect(check(document, ...args)).toMatchObject({ status: 1 })
    await expect(receipts.consistency(1, 10_000)).rejects.toThrow('no such checkpoints')
    await expect(receipts.consistency(5, 4)).rejects.toThrow('no such checkpoints')
  })

  it('is made again if the stored one does not go as far as the last head', async () => {
    const before = await issue(buyer, finished)
    await db.pool.query('delete from ledger_checkpoint; delete from ledger_chunk')
    await write()
    expect((await issue(buyer, finished)).proofs).toEqual(before.proofs)
  })
})

describe('a receipt', () => {
  it('tells the life of a charge, with all its events proven, and names no user', async () => {
    const document = await issue(buyer, finished)
    const types = ['CreditsHeld', 'VideoTaskSubmitted', 'VideoRenderRequested', 'VideoTaskSucceeded', 'CreditsCaptured']
    expect(document.receipt).toMatchObject({ outcome: 'captured', credits: 30, installation: INSTALLATION })
    expect(document.receipt.events.map(({ type }) => type)).toEqual(types)
    expect(document.proofs).not.toContain(null)
    expect(JSON.stringify(document)).not.toContain(buyer)
    expect(check(document)).toMatchObject({ status: 0, said: expect.stringMatching(/^VALID: .*30 credits captured/) })
  })

  it.each([
    ['released', failed],
    ['held', open],
  ])('of credits that are %s says so', async (outcome, taskId) => {
    const document = await issue(buyer, taskId)
    expect(document.receipt.outcome).toBe(outcome)
    expect(check(document)).toMatchObject({ status: 0, said: expect.stringContaining(`30 credits ${outcome}`) })
  })

  it('contains the texts of the events if its owner asks for them', async () => {
    const document = await issue(buyer, finished, true)
    expect(document.texts!.join()).toContain(buyer)
    expect(check(document)).toMatchObject({ status: 0 })
    const moved = changed(document, ({ texts }) => texts!.reverse())
    expect(check(moved)).toMatchObject({ status: 1, said: expect.stringContaining('is not that of the event') })
  })

  it("is not given for another user's video, nor for a hash that is not that of its hold", async () => {
    const receipts = receiptsWith(key)
    const hold = (await issue(buyer, finished)).receipt.events[0]!.hash
    expect((await receipts.issue(await receipts.readOfFilm(finished, hold))).receipt.task).toBe(finished)
    for (const refused of [
      () => receipts.readOwn(other, finished),
      () => receipts.readOwn(buyer, derivedId('no task')),
      () => receipts.readOwn(buyer, 'no id'),
      () => receipts.readOfFilm(open, hold),
      () => receipts.readOfFilm(finished, '0'.repeat(64)),
    ])
      await expect(refused()).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the checker of receipts names', () => {
  it.each<[string, (copy: Receipt) => unknown, string]>([
    ['a changed amount', ({ receipt }) => Object.assign(receipt, { credits: 3 }), 'forged or changed'],
    ['another outcome', ({ receipt }) => Object.assign(receipt, { outcome: 'released' }), 'forged or changed'],
    [
      'a changed checkpoint',
      ({ checkpoint }) => Object.assign(checkpoint!.checkpoint, { size: 1 }),
      'the signature of the checkpoint is not right',
    ],
    [
      'a proof of another event',
      ({ proofs }) => proofs.reverse(),
      'CreditsHeld is not in the ledger of the checkpoint',
    ],
    ['a missing proof', ({ proofs }) => proofs.pop(), 'does not have the form'],
  ])('%s', async (_, change, message) => {
    const given = changed(await issue(buyer, finished), change)
    expect(check(given)).toMatchObject({ status: 1, said: expect.stringContaining(message) })
  })

  it('an unsigned receipt, and one of another key', async () => {
    const receipts = receiptsWith(undefined)
    const unsigned = await receipts.issue(await receipts.readOwn(buyer, finished))
    expect(check(unsigned)).toMatchObject({ status: 0, said: expect.stringContaining('is not signed') })
    const foreign = check(await issue(buyer, finished), '--key', '0'.repeat(64))
    expect(foreign).toMatchObject({ status: 1, said: expect.stringContaining('signed with another key') })
  })

  it('a receipt that was copied onto another film', async () => {
    const document = await issue(buyer, finished)
    const hold = document.receipt.events[0]!.hash
    const film = (text: string) => check(document, '--film', saved('film.mp4', Buffer.from(text)))
    expect(film('a video').said).toContain('the receipt of another film')
    expect(film(`${finished} com.example.kinora.receipt ${'0'.repeat(64)}`).said).toContain('names another hold')
    expect(film(`${finished} com.example.kinora.receipt ${hold}`).said).toContain('byte for byte')
  })

  it('a receipt of a ledger whose past was rewritten', async () => {
    const [kept] = await readCheckpoints(db.pool, 1)
    const { size } = kept!.checkpoint
    await db.pool.query(`delete from event where stream = 'creditAccount-${derivedId('before', 7)}'`)
    latest = undefined
    await db.pool.query('delete from ledger_checkpoint; delete from ledger_chunk')
    await grants('rewritten', 3)
    await write()
    const document = await issue(buyer, finished)
    // On its own it is consistent.
    expect(check(document)).toMatchObject({ status: 0 })
    const proof = await receiptsWith(key).consistency(size, document.checkpoint!.checkpoint.size)
    const args = ['--head', saved('kept.json', kept), '--proof', saved('proof.json', proof)]
    expect(check(document, ...args)).toMatchObject({
      status: 1,
      said: expect.stringContaining('past of the ledger was rewritten'),
    })
  })
})
