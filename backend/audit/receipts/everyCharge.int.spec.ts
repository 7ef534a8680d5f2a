import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CreditEntry } from '../../credits/contract.ts'
import { videoKey } from '../../kernel/media/mediaStore.port.ts'
import { createProviderDouble, type ProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import type { Task } from '../../tasks/contract.ts'
import { eventually } from '../../testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import type { Receipt } from './contract.ts'

const CHECKER = path.resolve(import.meta.dirname, '../../../docs/check_receipt.py')

let kinora: TestKinora
let provider: ProviderDouble
let user: TestUser
beforeAll(async () => {
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider })
  user = await kinora.newUser()
  const gift = { adjustmentId: crypto.randomUUID(), amount: 300, reason: 'films of every kind' }
  const context = { commandId: crypto.randomUUID(), actor: 'operator:test', correlationId: crypto.randomUUID() }
  await kinora.services.credits.adjust(user.userId, gift, context)
})
afterAll(() => kinora.close())

const json = async <T>(answer: Response) => (await answer.json()) as T
const order = async (more: object, address = '/videos/generate') =>
  (await json<{ task: Task }>(await user.call('POST', address, more))).task
const ended = ({ id }: Pick<Task, 'id'>, status: Task['status'] = 'Success') =>
  eventually(async () => {
    const task = await json<Task>(await user.call('GET', `/videos/tasks/${id}`))
    expect(task.status).toBe(status)
    return task
  })
const film = async (more: object = {}) => ended(await order({ ...GENERATION, ...more }))

async function fromPicture(): Promise<Task> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(createCanvas(640, 360).toBuffer('image/png'))]), 'a.png')
  const headers = { cookie: user.cookie }
  const answer = await fetch(`${kinora.api}/videos/upload-image`, { method: 'POST', headers, body: form })
  const { image_url } = await json<{ image_url: string }>(answer)
  return film({ task_type: 'image_to_video', first_frame_image_url: image_url })
}

async function byKey(): Promise<Task> {
  const settings = { name: 'Script', scopes: ['videos:write' as const], expires_in_days: null }
  const { key } = await kinora.services.apiKeys.create(user.userId, settings)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: GENERATION.model, prompt: 'A boat', seconds: '6' })
  return ended(await json<Task>(await fetch(`${kinora.url}/v1/videos`, { method: 'POST', headers, body })))
}

async function cancelled(): Promise<Task> {
  provider.answer = () => ({ kind: 'rendering', percent: 1 })
  const { id } = await order(GENERATION)
  await ended({ id }, 'Processing')
  await user.call('POST', `/videos/tasks/${id}/cancel`)
  provider.answer = () => ({ kind: 'finished' })
  return ended({ id }, 'Fail')
}

const fileOf = (id: string) => path.join(kinora.dataDir, 'media', videoKey(id))
/** Reads the receipt of a task when its credits have moved, as its owner downloads it. */
const receiptOf = ({ id }: Task, outcome: Receipt['receipt']['outcome']) =>
  eventually(async () => {
    const document = await json<Receipt>(await user.call('GET', `/credits/receipts/${id}?texts=true`))
    expect(document.receipt.outcome).toBe(outcome)
    return document
  })
function check(document: Receipt, ...args: string[]): string {
  const file = path.join(kinora.dataDir, 'receipt.json')
  writeFileSync(file, JSON.stringify(document))
  return String(spawnSync('python3', [CHECKER, file, ...args]).output.join(''))
}

describe('the receipt of a charge', () => {
  it.each<[string, number, () => Promise<Task>]>([
    ['a text', 30, () => film()],
    ['a picture', 30, fromPicture],
    ['another take', 30, async () => film({ from: { task_id: (await film()).id, as: 'take' } })],
    ['an order of a program', 30, byKey],
    [
      'joined films, which costs nothing',
      0,
      async () => {
        const clips = [{ id: (await film()).id }, { id: (await film()).id }]
        return ended(await order({ clips, title: 'Both' }, '/videos/join'))
      },
    ],
  ])('for %s lists its events, and belongs to the file', async (_, credits, make) => {
    const task = await make()
    const document = await receiptOf(task, 'captured')
    expect(document.receipt.credits).toBe(credits)
    expect(document.receipt.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['CreditsHeld', 'VideoTaskSubmitted', 'VideoTaskSucceeded', 'CreditsCaptured']),
    )
    expect(check(document, '--film', fileOf(task.id))).toMatch(/^VALID: /)
    const { hash } = document.receipt.events.find(({ type }) => type === 'CreditsHeld')!
    expect((await fetch(`${kinora.api}/receipts/${task.id}/${hash}`)).status).toBe(200)
  })

  it('says of a copy that it is one, and refuses another film', async () => {
    const task = await film()
    const document = await receiptOf(task, 'captured')
    const copy = path.join(kinora.dataDir, 'copy.mp4')
    const answer = await user.call('GET', `/videos/download/${task.id}?watermark=true`)
    writeFileSync(copy, Buffer.from(await answer.arrayBuffer()))
    expect(readFileSync(copy)).not.toEqual(readFileSync(fileOf(task.id)))
    expect(check(document, '--film', copy)).toContain('it is a copy, or was changed')
    expect(check(document, '--film', fileOf((await film()).id))).toContain('this is the receipt of another film')
  })

  it('of a cancelled render ends with the release, and every charge of the history has one', async () => {
    const document = await receiptOf(await cancelled(), 'released')
    expect(check(document)).toMatch(/^VALID: .*30 credits released/)
    const { entries } = await json<{ entries: CreditEntry[] }>(await user.call('GET', '/credits/history?per_page=100'))
    const charges = entries.filter(({ kind }) => ['hold', 'spend', 'release'].includes(kind))
    expect(charges.length).toBeGreaterThan(2)
    for (const { task_id } of charges)
      expect((await user.call('GET', `/credits/receipts/${task_id}`)).status, task_id).toBe(200)
  })
})
