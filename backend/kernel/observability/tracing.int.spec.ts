import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { httpCall } from '../../providers/video/httpCall.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { eventually } from '../../testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION } from '../../testing/testUser.ts'
import { startOpenTelemetry } from './openTelemetry.ts'
import { type ReceivedSpan, startOtlpDouble } from './testing/otlpDouble.ts'
import { traced, traceFields, traceHeaders } from './tracing.ts'

type Otlp = Awaited<ReturnType<typeof startOtlpDouble>>

/** Starts a collector's double, and lets the SDK send soon. */
async function startCollector(): Promise<Otlp> {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50')
  return startOtlpDouble()
}
const settingsOf = ({ url }: Otlp) => ({ url: `${url}/v1/traces`, headers: {}, serviceName: 'kinora', version: '1' })
const SILENT = pino({ level: 'silent' })
const ROOT = path.resolve(import.meta.dirname, '../../..')

afterAll(() => vi.unstubAllEnvs())

describe('with a collector', () => {
  let kinora: TestKinora
  let otlp: Otlp
  const lines: Record<string, unknown>[] = []
  beforeAll(async () => {
    otlp = await startCollector()
    const logTo = new Writable({
      write(chunk, _, done) {
        lines.push(JSON.parse(String(chunk)))
        done()
      },
    })
    const env = {
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key, tenant=7',
      OTEL_SERVICE_NAME: 'kinora-test',
    }
    kinora = await startTestKinora({ provider: await createProviderDouble(), logTo, env })
  })
  afterAll(async () => {
    await kinora.close()
    otlp.close()
  })
  /** Waits for a span of a trace. */
  const spanOf = (traceId: string, name: string): Promise<ReceivedSpan> =>
    eventually(() => {
      const found = otlp.spans.find((span) => span.traceId === traceId && span.name === name)
      expect(found, name).toBeDefined()
      return found!
    })
  const newTraceId = () => crypto.randomUUID().replaceAll('-', '')

  it('makes a video one trace, from the request to the captured credits', async () => {
    const user = await kinora.newUser()
    const id = crypto.randomUUID()
    const traceId = id.replaceAll('-', '')
    const task = await generate(user, { 'x-correlation-id': id })
    await reaches(user, task.id, { status: 'Success' })

    const request = await spanOf(traceId, 'POST /api/v1/videos/generate')
    expect(request).toMatchObject({ kind: 2, failed: false, attributes: { 'http.response.status_code': 202 } })
    const command = await spanOf(traceId, 'command creditAccount HoldCredits')
    expect(command.parentSpanId).toBe(request.spanId)
    expect((await spanOf(traceId, 'append creditAccount')).parentSpanId).toBe(command.spanId)
    const call = await spanOf(traceId, 'call video double create')
    expect(call.kind).toBe(3)
    const activity = otlp.spans.find(({ spanId }) => spanId === call.parentSpanId)
    expect(activity?.name).toMatch(/^activity /)
    await spanOf(traceId, 'command videoTask Succeed')
    await eventually(() => expect(otlp.spans.map(({ name }) => name)).toContain('project'))
  })

  it('continues the trace of a caller, also in the workflow', async () => {
    const user = await kinora.newUser()
    const [traceId, parent] = [newTraceId(), 'b7ad6b7169203331']
    const task = await generate(user, { traceparent: `00-${traceId}-${parent}-01` })
    await reaches(user, task.id, { status: 'Success' })
    expect((await spanOf(traceId, 'POST /api/v1/videos/generate')).parentSpanId).toBe(parent)
    await spanOf(traceId, 'call video double create')
  })

  it('records nothing of a trace that its caller does not sample', async () => {
    const traceId = newTraceId()
    await fetch(`${kinora.api}/status`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-00` } })
    const later = newTraceId()
    await fetch(`${kinora.api}/status`, { headers: { traceparent: `00-${later}-b7ad6b7169203331-01` } })
    await spanOf(later, 'GET /api/v1/status')
    expect(otlp.spans.filter((span) => span.traceId === traceId)).toEqual([])
  })

  it.each([
    '',
    'x'.repeat(5_000),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `01-${'a'.repeat(32)}-b7ad6b7169203331-01`,
  ])('begins a trace of its own for the header %.60s', async (traceparent) => {
    const { headers } = await fetch(`${kinora.api}/status`, { headers: { traceparent } })
    await spanOf(headers.get('x-request-id')!.replaceAll('-', ''), 'GET /api/v1/status')
  })

  it('writes the trace id in the log line of a request', async () => {
    const traceId = newTraceId()
    await fetch(`${kinora.api}/status`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } })
    const span = await spanOf(traceId, 'GET /api/v1/status')
    const line = lines.find((each) => each.trace_id === traceId)
    expect(line).toMatchObject({ msg: 'request completed', span_id: span.spanId })
  })

  it('sends neither prompts, addresses, keys nor queries', async () => {
    const user = await kinora.newUser('ada.lovelace@kinora.test')
    const task = await generate(user)
    await reaches(user, task.id, { status: 'Success' })
    await fetch(`${kinora.api}/auth/verify-email?token=in-the-query`)
    const traceId = newTraceId()
    await fetch(`${kinora.api}/status`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } })
    await spanOf(traceId, 'GET /api/v1/status')
    const sent = otlp.bodies.join()
    const secrets = [
      'ada.lovelace',
      'in-the-query',
      GENERATION.prompt,
      user.cookie.split('=')[1]!.slice(0, 20),
      '127.0.0.1',
    ]
    for (const secret of secrets) expect(sent).not.toContain(secret)
  })

  it('sends the headers and the name of the service that are configured', async () => {
    await eventually(() => expect(otlp.headers.length).toBeGreaterThan(0))
    expect(otlp.headers[0]).toMatchObject({ 'api-key': 'a key', tenant: '7' })
    expect(otlp.resources[0]).toMatchObject({ 'service.name': 'kinora-test' })
  })
})

describe('a span with a value that is no number', () => {
  it('does not reach a collector, which refuses the others with it', async () => {
    const otlp = await startCollector()
    const stop = startOpenTelemetry(settingsOf(otlp), SILENT)
    traced('work', { events: Number.NEGATIVE_INFINITY, streams: 1 }, () => {})
    await stop()
    otlp.close()
    expect(otlp.spans).toMatchObject([{ name: 'work', attributes: { streams: 1 } }])
  })
})

describe('a call to an engine', () => {
  it('passes the trace on', async () => {
    const otlp = await startCollector()
    const received: (string | undefined)[] = []
    const engine = createServer(({ headers }, response) => {
      received.push(headers.traceparent as string | undefined)
      response.end('{}')
    })
    await once(engine.listen(0, '127.0.0.1'), 'listening')
    const stop = startOpenTelemetry(settingsOf(otlp), SILENT)
    onTestFinished(() => {
      otlp.close()
      engine.close()
    })
    const url = new URL(`http://127.0.0.1:${(engine.address() as AddressInfo).port}`)
    const limits = { connectTimeoutMs: 60_000, timeoutMs: 60_000, signal: new AbortController().signal }
    const call = () => httpCall(url, { method: 'GET', headers: {}, ...limits })
    await traced('call', { port: 'video' }, call)
    await stop()
    await call()
    const [span] = otlp.spans
    expect(received).toEqual([`00-${span!.traceId}-${span!.spanId}-01`, undefined])
  })
})

describe('the sampler', () => {
  it('is the one of the standard variable', async () => {
    const otlp = await startCollector()
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off')
    const stop = startOpenTelemetry(settingsOf(otlp), SILENT)
    traced('work', {}, () => {})
    vi.stubEnv('OTEL_TRACES_SAMPLER', undefined)
    await stop()
    otlp.close()
    expect(otlp.spans).toEqual([])
  })
})

describe('a failure', () => {
  it('is recorded by its name alone', async () => {
    const otlp = await startCollector()
    const stop = startOpenTelemetry(settingsOf(otlp), SILENT)
    const failing = async () => {
      throw new RangeError('ada.lovelace@kinora.test')
    }
    await expect(traced('work', {}, failing)).rejects.toThrow(RangeError)
    expect(() => traced('check', {}, () => JSON.parse('{'))).toThrow(SyntaxError)
    await stop()
    otlp.close()
    expect(otlp.spans).toMatchObject([
      { name: 'work', failed: true, attributes: { 'error.type': 'RangeError' } },
      { name: 'check', failed: true, attributes: { 'error.type': 'SyntaxError' } },
    ])
    expect(otlp.bodies.join()).not.toContain('ada.lovelace')
  })

  it('of the collector is logged, and stops nothing', async () => {
    const otlp = await startCollector()
    otlp.close()
    const warned: string[] = []
    const log = { warn: (_: unknown, message: string) => void warned.push(message) } as never
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '100')
    const stop = startOpenTelemetry(settingsOf(otlp), log)
    expect(traced('work', {}, () => 7)).toBe(7)
    await eventually(() => expect(warned).toContain('traces not sent'))
    await stop()
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', undefined)
  })
})

describe('without a collector', () => {
  it('loads no package of OpenTelemetry: one file imports them, and is itself imported when it is needed', () => {
    const grep = (pattern: string) =>
      execFileSync('git', ['grep', '-lE', pattern, '--', '*.ts', '*.tsx', ':!*.spec.ts'], {
        cwd: ROOT,
        encoding: 'utf8',
      }).trim()
    expect(grep("from '@opentelemetry/")).toBe('backend/kernel/observability/openTelemetry.ts')
    expect(grep("import\\('.*/openTelemetry\\.ts'\\)")).toBe('backend/app/kinora.ts')
    expect(() => grep("from '.*/openTelemetry\\.ts'")).toThrow()
  })

  it('runs the work and adds nothing', () => {
    expect(traced('work', { category: 'a' }, () => traceHeaders())).toEqual({})
    expect(traceFields()).toEqual({})
  })
})
