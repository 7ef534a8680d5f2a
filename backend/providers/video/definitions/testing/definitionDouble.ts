import { readFile } from 'node:fs/promises'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { type Received, type Answer as Served, startEngineServer } from '../../testing/engineServer.ts'
import type { Definition } from '../definition.ts'
import { interpretCreated } from '../interpretAnswer.ts'
import type { Answer } from '../shapes.ts'
import type { Json } from '../template.ts'
import { createWebhookSigner } from './webhookSigner.ts'

export interface DoubleJob {
  readonly id: string
  readonly sent: Readonly<Record<string, Json>>
  readonly callbackUrl: string | undefined
  finishAt: number
  /** How often its state was asked for. */
  polls: number
  /** Index of the example of a failure that ends the job. */
  failure?: number
  cancelled?: true
}

export const DOUBLE_KEY = 'double-secret-key'
const EXAMPLE_FILES = 'https://files.example'

export type DefinitionDouble = Awaited<ReturnType<typeof startDefinitionDouble>>

/**
 * Starts a local test double of the service that a definition describes. It speaks HTTP, and its script is the
 * definition's examples: it verifies the interpreter and the file against them, not the real service.
 */
export async function startDefinitionDouble(definition: Definition, { renderMs = 50 } = {}) {
  const { examples } = definition
  const exampleId = interpretCreated(definition, examples.created)!.id
  const video = await readFile(await makeTinyVideo())
  const jobs = new Map<string, DoubleJob>()
  const signer = createWebhookSigner()
  const origins = [definition.baseUrl, ...definition.origins, definition.webhook?.jwks]
    .filter((address) => address !== undefined)
    .map((address) => new URL(address).origin)

  const server = await startEngineServer((received) => {
    const { call, url, headers } = received
    if (call === 'GET /video.mp4') return { body: video }
    if (call.startsWith('PUT /upload/')) return { body: '' }
    if (definition.webhook?.jwks && url.pathname === new URL(definition.webhook.jwks).pathname)
      return { body: signer.jwks() }
    const { header, prefix } = definition.key
    if (headers[header.toLowerCase()] !== `${prefix}${DOUBLE_KEY}`) return refusal('credentials')
    for (const [name, value] of Object.entries(definition.headers))
      if (headers[name.toLowerCase()] !== value) return refusal('invalid_request')
    const asked = `${call}${url.search}`
    if (asked === examples.check.request) return checkAnswer()
    if (asked === examples.upload?.request) return serve(examples.upload.answer)
    for (const job of jobs.values()) {
      const answer = answerAbout(job, asked)
      if (answer) return answer
    }
    return isCreate(call) ? create(received) : { status: 404, body: { detail: 'not found' } }
  })

  const double = Object.assign(server, {
    jobs,
    renderMs,
    signer,
    /** Number of cancel calls to answer with 409 before a job is cancelled. */
    cancelling: 0,
    /** The definition, with the double in place of every origin. */
    definition: JSON.parse(relocated(definition)) as Definition,
    /** Sends the webhook of a job. `signedAt` is in seconds. */
    async sendWebhook(job: DoubleJob, signedAt = Date.now() / 1000, change = (body: string) => body) {
      const body = withJob(examples.webhook!.body as Json, job.id)
      const headers = signer.sign(definition.webhook!.scheme, body, Math.floor(signedAt))
      return fetch(job.callbackUrl!, { method: 'POST', headers, body: change(body) })
    },
    job: (jobId: string): DoubleJob => [...jobs.values()].find(({ id }) => jobId.includes(id))!,
  })

  function relocated(value: unknown): string {
    return [...origins, EXAMPLE_FILES].reduce(
      (text, origin) => text.replaceAll(origin, server.url),
      JSON.stringify(value),
    )
  }

  const withJob = (value: Json | string, id: string) =>
    (typeof value === 'string' ? value : relocated(value)).replaceAll(exampleId, id)
  const serve = ({ status, headers, body }: Answer, id = exampleId): Served => ({
    status,
    headers,
    body: body === null ? '' : (JSON.parse(withJob(body, id)) as object),
  })
  const refusal = (kind: string) => serve(examples.refusals.find((each) => each.kind === kind)!.answer)
  const checkAnswer = () =>
    definition.webhook?.secret ? { body: { key: signer.secret } } : serve(examples.check.answer)

  const creates = [...examples.creates, ...(examples.regenerate ? [examples.regenerate] : [])]
  const createPaths = creates.map(({ request }) => request.split('?')[0]!)
  const isCreate = (call: string) => createPaths.includes(call)

  function create({ url, headers, body }: Received): Served {
    if (!headers['content-type']?.startsWith('application/json')) return refusal('invalid_request')
    const sent = JSON.parse(body.toString()) as Record<string, Json>
    const known = new Set(creates.flatMap(({ sends }) => Object.keys(sends as object)))
    if (Object.keys(sent).some((field) => !known.has(field))) return refusal('invalid_request')
    const id = `${exampleId.slice(0, -6)}${String(100_000 + jobs.size)}`
    const callbackUrl = /https?:[^"]+\/webhooks\/[^"]+/.exec(`${url.searchParams.get('fal_webhook')} ${body}`)?.[0]
    jobs.set(id, { id, sent, callbackUrl: callbackUrl?.trim(), finishAt: Date.now() + double.renderMs, polls: 0 })
    return serve(examples.created, id)
  }

  function answerAbout(job: DoubleJob, asked: string): Served | undefined {
    const is = (request: string | undefined) => request !== undefined && asked === request.replaceAll(exampleId, job.id)
    if (is(examples.state.request)) return stateOf(job)
    if (is(examples.result?.request)) {
      const failure = job.failure === undefined ? undefined : examples.failures[job.failure]?.result
      return serve(failure ?? examples.result!.answer, job.id)
    }
    return is(examples.cancel?.request) ? cancel(job) : undefined
  }

  function stateOf(job: DoubleJob): Served {
    job.polls++
    if (job.cancelled) return { status: 404, body: { detail: 'not found' } }
    if (job.failure !== undefined) return serve(examples.failures[job.failure]!.state, job.id)
    const { answers } = examples.state
    const index = Date.now() >= job.finishAt ? answers.length - 1 : Math.min(job.polls, answers.length) - 1
    return serve(answers[Math.min(index, Date.now() >= job.finishAt ? index : answers.length - 2)]!.answer, job.id)
  }

  function cancel(job: DoubleJob): Served {
    if (double.cancelling-- > 0) return { status: 409, body: { detail: 'Cancellation in progress' } }
    if (Date.now() >= job.finishAt)
      return serve(examples.cancel!.tooLate ?? { status: 409, headers: {}, body: null }, job.id)
    job.cancelled = true
    return serve(examples.cancel!.answer, job.id)
  }

  return double
}
