import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { createOperatorAlerts } from '#backend/operators/alerts/operatorAlerts.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { answerOf, NEVER, REQUEST, videoProviderContract } from '../testing/videoProviderContract.ts'
import { createMinimax, type MinimaxTiming } from './minimax.ts'
import { DOUBLE_KEY, type Fault, type MinimaxDouble, startMinimaxDouble } from './testing/minimaxDouble.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-minimax-'))
let db: TemporaryDatabase
let double: MinimaxDouble
let usual: Pick<MinimaxDouble, 'fault' | 'linkMs' | 'renderMs'>
const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })

const QUICK = {
  pollIntervalMs: 20,
  initialOpenMs: 50,
  maxOpenMs: 400,
  probeTimeoutMs: 5_000,
  // Far beyond what a busy machine needs. Tests of calls that hang set their own.
  connectTimeoutMs: 60_000,
  createTimeoutMs: 60_000,
  queryTimeoutMs: 60_000,
  stallTimeoutMs: 60_000,
}
const HANGS_MS = 2_000
const adapter = (timing: Partial<MinimaxTiming> = {}, apiKey = DOUBLE_KEY): VideoProvider =>
  createMinimax({
    apiKey,
    baseUrl: double.url,
    guard: createGuard(),
    pool: db.pool,
    log,
    alerts: createOperatorAlerts(db.pool, log),
    callbackUrl: () => undefined,
    timing: { ...QUICK, ...timing },
  })

beforeAll(async () => {
  db = await startTemporaryDatabase()
  double = await startMinimaxDouble()
  const { fault, linkMs, renderMs } = double
  usual = { fault, linkMs, renderMs }
})
afterAll(async () => {
  await double.close()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  Object.assign(double, usual)
  double.reached.length = double.calls.length = lines.length = 0
  await db.pool.query('truncate call_window, circuit, operator_alert')
})

/** Injects a fault into the first calls of a kind, by default into all. */
const goWrong = (call: string, fault: Fault, calls = Number.POSITIVE_INFINITY) => {
  let left = calls
  double.fault = (kind) => (kind === call && left-- > 0 ? fault : undefined)
}
const alerts = async () =>
  (await db.pool.query<{ code: string }>('select code from operator_alert where cleared_at is null')).rows.map(
    ({ code }) => code,
  )
const accepted = async (provider: VideoProvider, request = REQUEST) => {
  const answer = await provider.create(request)
  if (answer.kind !== 'accepted') return expect.fail(JSON.stringify(answer))
  return answer.jobId
}

videoProviderContract('MiniMax (its double)', async () => ({
  provider: adapter(),
  slow: (slow) => {
    double.renderMs = slow ? 60_000 : usual.renderMs
  },
  fail: (jobId, code) => {
    if (code === 'content_refused') goWrong('query', { code: 1027 }, 1)
    else double.jobs.get(jobId)!.status = 'Fail'
  },
  loseNextAnswer: () => goWrong('create', 'done, then reset', 1),
  started: () => double.jobs.size,
  goAway: () => double.goAway(),
  comeBack: () => double.comeBack(),
}))

const unclear = [1000, 1001, 1013, 1024, 1033, 4711]
const busy = [1002, 1039, 1041, 2045]
const key = [1004, 2049]
const account = [1008, 2056, 2061]

describe('a code of MiniMax on create', () => {
  const refused = (code: string) => ({ kind: 'refused', code })
  it.each([
    ...unclear.map((code) => [code, 'throws', []] as const),
    ...busy.map((code) => [code, { kind: 'postponed' }, []] as const),
    ...key.map((code) => [code, refused('provider_unavailable'), ['video_provider_key_refused']] as const),
    ...account.map((code) => [code, refused('provider_unavailable'), ['video_provider_account']] as const),
    [1026, refused('content_refused'), []] as const,
    [1027, refused('content_refused'), []] as const,
    [2013, refused('provider_failed'), []] as const,
  ])('%i: answers %j and alerts %j, after one call', async (code, expected, alerted) => {
    goWrong('create', { code })
    // Long enough that the breaker is still open after the queries in between, also on a busy machine.
    const provider = adapter({ initialOpenMs: 30_000, maxOpenMs: 60_000 })
    if (expected === 'throws') await expect(provider.create(REQUEST)).rejects.toThrow(String(code))
    else expect(await provider.create(REQUEST)).toMatchObject(expected)
    expect([double.reached.length, await alerts()]).toEqual([1, alerted])
    const mayGoOn = (await provider.acquire()) === 0
    expect(mayGoOn).toBe(!busy.includes(code) && !key.includes(code))
    if (code === 2013) expect(lines.join()).toContain('malformed')
  })
})

describe('a code of MiniMax on query', () => {
  it.each([
    ...[...unclear, ...busy, ...account].map((code) => [code, 'throws'] as const),
    ...key.map((code) => [code, 'throws'] as const),
    [1026, { kind: 'failed', code: 'content_refused' }] as const,
    [1027, { kind: 'failed', code: 'content_refused' }] as const,
    [2013, { kind: 'failed', code: 'provider_failed' }] as const,
  ])('%i: %j, and the job is asked for again', async (code, expected) => {
    const provider = adapter()
    const jobId = await accepted(provider)
    goWrong('query', { code }, 1)
    if (expected === 'throws') await expect(provider.state(jobId, NEVER)).rejects.toThrow(String(code))
    else expect(await provider.state(jobId, NEVER)).toMatchObject(expected)
    expect(await alerts()).toHaveLength(key.includes(code) || account.includes(code) ? 1 : 0)
    expect(await answerOf(provider, jobId)).toEqual({ kind: 'finished' })
  })
})

describe('a query that fails in transit', () => {
  it.each([...[400, 404, 408, 499].map((status) => [status, 1]), [502, 3]])(
    'does not end the job after HTTP %i of a proxy, %i times',
    async (status, times) => {
      const provider = adapter()
      const jobId = await accepted(provider)
      goWrong('query', { status }, times)
      await expect(provider.state(jobId, NEVER)).rejects.toThrow(`HTTP ${status}`)
      expect(await answerOf(provider, jobId)).toEqual({ kind: 'finished' })
    },
  )
})

describe('a create call that fails in transit', () => {
  it('is postponed when the connection is refused, because nothing was sent', async () => {
    await double.goAway()
    onTestFinished(() => double.comeBack())
    expect(await adapter().create(REQUEST)).toMatchObject({ kind: 'postponed' })
  })

  it.each<Fault>([
    'hang',
    'reset',
    'done, then hang',
    'done, then reset',
    ...[408, 409, 499, 500, 502].map((status) => ({ status })),
    ...['<html>not JSON', '{"base_resp":{"status_code":0}}'].map((text) => ({ status: 200, text })),
  ])('is open after %j, and is not sent again', async (fault) => {
    goWrong('create', fault)
    const hangs = String(fault).endsWith('hang')
    await expect(adapter(hangs ? { createTimeoutMs: HANGS_MS } : {}).create(REQUEST)).rejects.toThrow()
    expect(double.reached).toHaveLength(1)
  })

  it.each([
    [429, { kind: 'postponed' }],
    [401, { kind: 'refused', code: 'provider_unavailable' }],
    [400, { kind: 'refused', code: 'provider_failed' }],
  ])('is certain after HTTP %i: %j', async (status, expected) => {
    goWrong('create', { status })
    expect(await adapter().create(REQUEST)).toMatchObject(expected)
  })

  it('never reveals the API key', async () => {
    goWrong('create', { code: 1004 })
    const provider = adapter({}, 'sk-another-secret')
    const answer = await provider.create(REQUEST)
    await expect(provider.state('1', NEVER)).rejects.toThrow()
    expect(JSON.stringify([answer, lines, (await db.pool.query('select * from operator_alert')).rows])).not.toMatch(
      /sk-/,
    )
  })
})

describe('the body of a create call', () => {
  const bodyOf = async (request: Partial<typeof REQUEST>) => {
    await accepted(adapter(), { ...REQUEST, ...request } as typeof REQUEST)
    return double.reached.at(-1)!
  }
  const picture = path.join(folder, 'picture.jpg')
  beforeAll(() => writeFile(picture, Buffer.from([255, 216, 255, 217])))

  it('has the configuration, and the movements in brackets before the prompt', async () => {
    expect(await bodyOf({ promptOptimizer: false })).toEqual({
      model: 'MiniMax-Hailuo-02',
      prompt: '[左移,上升] A cat on a hill at sunset',
      prompt_optimizer: false,
      duration: 6,
      resolution: '768P',
    })
  })
  it('has no configuration for models with only one, and includes the first frame', async () => {
    const request = { taskType: 'image_to_video', providerModel: 'I2V-01-live', resolution: '720P' } as const
    expect(await bodyOf({ ...request, cameraMovements: [], firstFrame: picture })).toEqual({
      model: 'I2V-01-live',
      prompt: 'A cat on a hill at sunset',
      prompt_optimizer: true,
      first_frame_image: `data:image/jpeg;base64,${(await readFile(picture)).toString('base64')}`,
    })
    expect(await bodyOf({ providerModel: 'T2V-01-Director', resolution: '720P' })).not.toHaveProperty('duration')
  })
  it('never exceeds the maximum prompt length, movements included', async () => {
    const { prompt } = await bodyOf({ prompt: `${'好'.repeat(1_991)}😀` })
    expect(prompt).toHaveLength(1_999)
    expect(prompt).toMatch(/^\[左移,上升\] 好+$/)
  })
})

describe('the finished file', () => {
  const fetched = async (provider: VideoProvider, jobId: string, file = path.join(folder, `${Math.random()}.mp4`)) => {
    await provider.fetch(jobId, file, NEVER)
    return (await readFile(file)).equals(double.video)
  }
  const ranges = () => double.calls.filter(({ call }) => call === 'file').map(({ range }) => range)
  const retrieved = () => double.calls.filter(({ call }) => call === 'retrieve').length
  let provider: VideoProvider
  let jobId: string
  beforeEach(async () => {
    provider = adapter()
    jobId = await accepted(provider)
    await answerOf(provider, jobId)
  })
  it('resumes after an interrupted download', async () => {
    const file = path.join(folder, 'interrupted.mp4')
    let cuts = 0
    const taken = () => {
      cuts++
      return eventually(async () => expect((await stat(file)).size).toBe(cuts * 1_000))
    }
    goWrong('file', { cutAt: 1_000, taken }, 2)
    expect(await fetched(provider, jobId, file)).toBe(true)
    expect(ranges()).toEqual([undefined, 'bytes=1000-', 'bytes=2000-'])
  })
  it('is downloaded from a new link when the old one has expired', async () => {
    double.linkMs = -1
    double.fault = (call, count) => {
      if (call === 'retrieve' && count > 0 && retrieved() > 1) double.linkMs = 1_000
      return undefined
    }
    expect([await fetched(provider, jobId), retrieved()]).toEqual([true, 2])
  })
  it.each<Fault>(['hang', 'reset', { status: 503 }])('is requested again after %j', async (fault) => {
    goWrong('file', fault, 1)
    const patient = fault === 'hang' ? adapter({ stallTimeoutMs: HANGS_MS }) : provider
    expect([await fetched(patient, jobId), ranges().length]).toEqual([true, 2])
  })
  it('throws after five failed attempts', async () => {
    goWrong('file', { status: 503 })
    await expect(fetched(provider, jobId)).rejects.toThrow('HTTP 503')
  })
})

describe('all processes together', () => {
  it('share the rate limit', async () => {
    const timing = { createsPerWindow: 20, windowMs: 60_000 }
    const [one, two] = [adapter(timing), adapter(timing)]
    const places = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 ? one : two).acquire()))
    expect(places.filter((wait) => wait === 0)).toHaveLength(20)
    const waits = places.filter((wait) => wait > 0)
    expect([Math.min(...waits) > 50_000, Math.max(...waits) <= 61_000 * 1.01]).toEqual([true, true])
  })

  it('may query a job as often as its creates need', async () => {
    const provider = adapter({ createsPerWindow: 40, windowMs: 600_000 })
    const jobId = await accepted(provider)
    const asked = await Promise.all(Array.from({ length: 600 }, () => provider.state(jobId, NEVER)))
    expect(asked).toHaveLength(600)
    const answered = vi.fn()
    void provider.state(jobId, NEVER).then(answered, answered)
    for (let n = 0; n < 20; n++) await db.pool.query('select')
    expect(answered).not.toHaveBeenCalled()
    await provider.close()
  })

  it('stop calling an unreachable provider, let one process probe it, and recover together', async () => {
    const timing = { initialOpenMs: 100_000, maxOpenMs: 400_000 }
    const passOpenTime = () => db.pool.query('update circuit set blocked_until = clock_timestamp()')
    const [one, two] = [adapter(timing), adapter(timing)]
    await double.goAway()
    for (let n = 0; n < 8; n++) expect(await one.create(REQUEST)).toMatchObject({ kind: 'postponed' })
    expect([await alerts(), (await two.acquire()) > 0]).toEqual([['video_provider_unreachable'], true])
    await passOpenTime()
    expect(await two.acquire()).toBeGreaterThan(100_000)
    await double.comeBack()
    await passOpenTime()
    expect(await two.acquire()).toBe(0)
    // Other processes must wait until the probe is answered.
    expect(await one.acquire()).toBeGreaterThan(0)
    await accepted(two)
    expect([await one.acquire(), await alerts()]).toEqual([0, []])
  })

  it('alert the operator once per problem', async () => {
    goWrong('create', { code: 1008 })
    for (let n = 0; n < 5; n++) await adapter().create(REQUEST)
    const { rows } = await db.pool.query('select code, times from operator_alert')
    expect(rows).toEqual([{ code: 'video_provider_account', times: 5 }])
    expect(lines.filter((line) => line.includes('operator alert raised'))).toHaveLength(1)
  })
})
