import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGuard, RefusedAddress } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { createOperatorAlerts } from '#backend/operators/alerts/operatorAlerts.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { type EngineFault, formOf } from '../testing/engineServer.ts'
import {
  acceptedJob,
  answerOf,
  type ContractWorld,
  NEVER,
  newRequest,
  videoProviderContract,
} from '../testing/videoProviderContract.ts'
import { createDefinitionProvider, type DefinitionProviderOptions } from './createDefinitionProvider.ts'
import type { Definition } from './definition.ts'
import { createDefinitionClient } from './definitionClient.ts'
import { type DefinitionDouble, DOUBLE_KEY, startDefinitionDouble } from './testing/definitionDouble.ts'
import { shippedDefinitions } from './testing/shippedDefinitions.ts'
import { createWebhookKeys } from './webhookKeys.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-definitions-'))
const doubles = new Map<string, DefinitionDouble>()
let db: TemporaryDatabase
const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })

const FAULTS = ['hang', 'reset', 'done, then hang', 'done, then reset', { status: 500 }, { status: 502 }] as const

beforeAll(async () => {
  db = await startTemporaryDatabase()
  for (const definition of shippedDefinitions()) doubles.set(definition.name, await startDefinitionDouble(definition))
})
beforeEach(async () => {
  lines.length = 0
  for (const double of doubles.values())
    Object.assign(double, { fault: () => undefined, takes: () => 0, renderMs: 50, cancelling: 0 }).received.length = 0
  await db.pool.query('truncate circuit, call_window, operator_alert')
})
afterAll(async () => {
  for (const double of doubles.values()) await double.close()
  await db.close()
  rmSync(folder, { recursive: true })
})

const TIMING = {
  pollIntervalMs: 20,
  // Far beyond what a busy machine needs. Tests of calls that hang set their own.
  createTimeoutMs: 60_000,
  queryTimeoutMs: 60_000,
  intervalMs: 20,
  initialOpenMs: 30_000,
}
/** The operator's list names the host of the doubles. */
const LOCAL = createGuard({ privateHosts: ['127.0.0.1'], allowsHttp: true })
const adapter = (double: DefinitionDouble, options: Partial<DefinitionProviderOptions> = {}) =>
  createDefinitionProvider({
    definition: () => double.definition,
    key: DOUBLE_KEY,
    guard: () => LOCAL,
    pool: db.pool,
    log,
    alerts: createOperatorAlerts(db.pool, log),
    callbackUrl: () => undefined,
    catalogueModel: (file) => ({ ...file, version: 'v' }),
    timing: TIMING,
    ...options,
  })
/** Returns a request for the model of the definition's first example. */
const requestOf = ({ examples }: Definition) => {
  const { firstFrame, lastFrame, references, callbackUrl, ...input } = examples.creates[0]!.input
  return { ...input, cameraMovements: [] } as Parameters<typeof newRequest>[0]
}
const alerts = async () =>
  (await db.pool.query<{ code: string }>('select code from operator_alert where cleared_at is null')).rows.map(
    ({ code }) => code,
  )
const isCreate = (definition: Definition, call: string) =>
  definition.examples.creates.some(({ request }) => request.split('?')[0] === call)
const creates = (double: DefinitionDouble) => double.received.filter(({ call }) => isCreate(double.definition, call))
const failCreates = (double: DefinitionDouble, fault: EngineFault) => {
  double.fault = (call) => (isCreate(double.definition, call) ? fault : undefined)
}

for (const definition of shippedDefinitions()) {
  const { name, create } = definition
  const isOnlyQueued = definition.cancel?.states.includes('rendering') === false
  videoProviderContract(
    `the definition of ${name} (its double)`,
    async (): Promise<ContractWorld> => {
      const double = doubles.get(name)!
      const provider = adapter(double)
      const failures = double.definition.examples.failures
      return {
        provider,
        slow: (slow) => Object.assign(double, { renderMs: slow ? 60_000 : 50 }),
        fail: (jobId, code) => {
          double.job(jobId).failure = failures.findIndex(({ means }) => means.code === code)
        },
        loseNextAnswer() {
          let left = 1
          double.fault = (call) => (isCreate(definition, call) && left-- > 0 ? 'done, then reset' : undefined)
        },
        started: () => double.jobs.size,
        isStopped: (jobId) => double.job(jobId).cancelled === true,
        // Without its kept addresses, a job cannot be asked about, so nothing notices that the engine is away.
        ...(Object.keys(create.job.keep).length > 0 ? {} : { goAway: double.goAway, comeBack: double.comeBack }),
      }
    },
    requestOf(definition),
  )

  describe(`the definition of ${name}`, () => {
    const double = () => doubles.get(name)!
    const request = (more = {}) => newRequest({ ...requestOf(definition), ...more })

    it.each(sampled<EngineFault>(FAULTS, 2))('throws after one call when the answer is lost (%j)', async (fault) => {
      failCreates(double(), fault)
      const hangs = String(fault).endsWith('hang')
      const timing = { ...TIMING, ...(hangs && { createTimeoutMs: 2_000 }) }
      await expect(adapter(double(), { timing }).create(request())).rejects.toThrow()
      expect(creates(double())).toHaveLength(1)
    })

    it('answers each refusal of its examples after one call, and never logs the key', async () => {
      for (const { answer, kind } of definition.examples.refusals) {
        await db.pool.query('truncate circuit, operator_alert')
        double().received.length = 0
        const text = answer.body === null ? '' : JSON.stringify(answer.body)
        failCreates(double(), { status: answer.status, text })
        const provider = adapter(double())
        // The fault carries no headers.
        if (kind === 'unknown' || answer.headers['retry-after']) {
          await expect(provider.create(request())).rejects.toThrow(String(answer.status))
          continue
        }
        const expected = {
          rate_limited: { kind: 'postponed' },
          credentials: { code: 'provider_unavailable' },
          account: { code: 'provider_unavailable' },
          content: { code: 'content_refused' },
          invalid_request: { code: 'provider_failed' },
        }[kind]
        expect([kind, await provider.create(request())]).toEqual([kind, expect.objectContaining(expected)])
        expect(creates(double())).toHaveLength(1)
        const alerted = { credentials: `video_provider_key_refused ${name}`, account: `video_provider_account ${name}` }
        expect(await alerts()).toEqual(kind in alerted ? [alerted[kind as 'account']] : [])
      }
      expect(lines.join()).not.toContain(DOUBLE_KEY)
    })

    it('tells that the key is wrong', async () => {
      const { ok, detail } = await adapter(double(), { key: 'wrong' }).check(NEVER)
      expect([ok, detail]).toEqual([false, expect.stringContaining('HTTP 401')])
    })

    it('offers its models with itself as the only route', async () => {
      const models = await adapter(double()).models!(NEVER)
      expect(models.map(({ routes }) => routes.map(({ provider }) => provider))).toEqual(models.map(() => [name]))
    })

    if (isOnlyQueued)
      it('cancels a job while it is queued, and does not ask once it is rendering', async () => {
        double().renderMs = 60_000
        const provider = adapter(double())
        expect(await provider.cancel(await acceptedJob(provider, request()), NEVER)).toBe('cancelled')
        const jobId = await acceptedJob(provider, request())
        await provider.state(jobId, NEVER)
        double().received.length = 0
        expect(await provider.cancel(jobId, NEVER)).toBe('unsupported')
        expect(double().received.filter(({ call }) => call.startsWith('DELETE'))).toEqual([])
      })
  })
}

describe('a definition that is interpreted', () => {
  it('repeats a cancel call only while the provider answers that it is cancelling', async () => {
    const double = doubles.get('runway')!
    double.renderMs = 60_000
    const again = { ...double.definition, cancel: { ...double.definition.cancel!, again: ['409'] } }
    const provider = adapter(double, { definition: () => again })
    const jobId = await acceptedJob(provider, newRequest(requestOf(double.definition)))
    double.cancelling = 2
    expect(await provider.cancel(jobId, NEVER)).toBe('cancelled')
    expect(double.received.filter(({ call }) => call.startsWith('DELETE'))).toHaveLength(3)
  })

  it('uploads a frame that is too large for a data URI, with a form or to a prepared address', async () => {
    const firstFrame = path.join(folder, 'frame.jpg')
    await writeFile(firstFrame, Buffer.alloc(1_000_001, 7))
    for (const [name, field] of [
      ['replicate', 'start_image'],
      ['fal', 'image_url'],
    ] as const) {
      const double = doubles.get(name)!
      const provider = adapter(double)
      const jobId = await acceptedJob(provider, newRequest({ ...requestOf(double.definition), firstFrame }))
      const { sent } = double.job(jobId)
      expect(((sent.input ?? sent) as Record<string, string>)[field]).toMatch(new RegExp(`^${double.url}/`))
      const upload = double.received.find(({ body }) => body.length > 1_000_000)!
      if (name === 'replicate') expect(((await formOf(upload)).get('content') as File).size).toBe(1_000_001)
      else expect([upload.call, upload.headers.authorization]).toEqual(['PUT /upload/frame.jpg', undefined])
      expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
    }
  })

  it('postpones a job whose frame cannot be uploaded, because it certainly does not exist', async () => {
    const double = doubles.get('replicate')!
    const firstFrame = path.join(folder, 'frame.jpg')
    double.fault = (call) => (call === 'POST /v1/files' ? 'reset' : undefined)
    expect(await adapter(double).create(newRequest({ ...requestOf(double.definition), firstFrame }))).toMatchObject({
      kind: 'postponed',
    })
    expect(creates(double)).toHaveLength(0)
  })

  it.each([
    ['postpones a job whose uploads take too long', ['firstFrame', 'lastFrame']],
    ['gives a create call the time that the uploads have left', ['firstFrame']],
  ])('%s', async (_, frames) => {
    const double = doubles.get('replicate')!
    const frame = path.join(folder, 'large.jpg')
    await writeFile(frame, Buffer.alloc(1_000_001, 7))
    double.takes = (call) => (call === 'POST /v1/files' ? 1_000 : 0)
    failCreates(double, 'hang')
    const pictures = Object.fromEntries(frames.map((name) => [name, frame]))
    const provider = adapter(double, { timing: { ...TIMING, createTimeoutMs: 3_000 } })
    const took = stopwatch()
    const answer = await provider
      .create(newRequest({ ...requestOf(double.definition), ...pictures }))
      .catch(() => 'lost')
    expect(answer).toEqual(frames.length > 1 ? expect.objectContaining({ kind: 'postponed' }) : 'lost')
    expect(creates(double)).toHaveLength(frames.length > 1 ? 0 : 1)
    took.within(3_700)
  })

  it('follows a changed definition without a restart', async () => {
    const double = doubles.get('ark')!
    let current = double.definition
    const provider = adapter(double, { definition: () => current })
    expect(provider.cancels).toBe(true)
    current = { ...current, cancel: undefined }
    expect(provider.cancels).toBe(false)
  })

  it('is sent to private addresses, with its key or without, only if the operator lists the host', async () => {
    const double = doubles.get('fal')!
    const provider = adapter(double, { guard: createGuard })
    const order = () => newRequest(requestOf(double.definition))
    expect(await provider.create(order())).toMatchObject({
      kind: 'postponed',
      detail: expect.stringMatching(/has no public address/),
    })
    expect(await provider.check(NEVER)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/has no public address/),
    })
    const times = { connectTimeoutMs: 2_000, createTimeoutMs: 2_000, queryTimeoutMs: 2_000 }
    const definition = () => double.definition
    const client = createDefinitionClient({ definition, key: DOUBLE_KEY, guard: createGuard, ...times })
    const unsigned = { headers: {}, body: Buffer.from(''), now: 0 }
    await expect(createWebhookKeys(Date.now).isSigned(definition(), client, unsigned)).rejects.toThrow(RefusedAddress)
    await expect(client.put(`${double.url}/upload/frame.jpg`, Buffer.alloc(1), NEVER)).rejects.toThrow(
      'has no public address',
    )
    expect(double.received).toEqual([])
    expect(await adapter(double).create(order())).toMatchObject({ kind: 'accepted' })
  })

  it('names no film on another private host', async () => {
    const double = doubles.get('fal')!
    const jobId = await acceptedJob(adapter(double), newRequest(requestOf(double.definition)))
    await answerOf(adapter(double), jobId)
    const elsewhere = {
      ...double.definition,
      baseUrl: double.url.replace('127.0.0.1', 'localhost'),
      origins: [double.url],
    }
    const guard = () => createGuard({ privateHosts: ['localhost'], allowsHttp: true })
    const trusting = () => guard().trusting(double.url)
    const file = path.join(folder, 'elsewhere.mp4')
    const definition = () => elsewhere
    await adapter(double, { definition, guard: trusting }).fetch(jobId, file, NEVER)
    double.received.length = 0
    await expect(adapter(double, { definition, guard }).fetch(jobId, file, NEVER)).rejects.toThrow(
      'has no public address',
    )
    expect(double.received).toEqual([])
  })

  it('postpones while the provider is unreachable', async () => {
    const double = doubles.get('fal')!
    await double.goAway()
    try {
      expect(await adapter(double).create(newRequest(requestOf(double.definition)))).toMatchObject({
        kind: 'postponed',
      })
    } finally {
      await double.comeBack()
    }
  })
})
