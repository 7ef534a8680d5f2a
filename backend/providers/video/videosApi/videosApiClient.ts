import * as z from 'zod/mini'
import { trimEnd } from '#backend/kernel/trimEnd.ts'
import { type HttpAnswer, httpCall } from '../httpCall.ts'
import { parseLosslessJson } from '../losslessJson.ts'
import { multipart } from '../multipart.ts'
import { kindOfHttpStatus, ProviderError } from '../providerError.ts'
import type { ModelCard } from './engineProfile.ts'

const Text = z.pipe(z.union([z.string(), z.number()]), z.transform(String))
const Id = z.pipe(Text, z.string().check(z.minLength(1)))
const optional = <S extends z.ZodMiniType>(schema: S) => z.optional(z.nullable(schema))
/** A field that is ignored if it has another shape: an odd one must not hide the state of a job that is paid for. */
const lenient = <S extends z.ZodMiniType>(schema: S) => z.catch(optional(schema), undefined)

const Failure = z.union([
  z.object({ code: lenient(Text), message: lenient(z.string()) }),
  z.pipe(
    z.string(),
    z.transform((message) => ({ code: undefined, message })),
  ),
])

/** The video object, without the fields that are not needed. Engines and gateways fill in different ones. */
const VideoObject = z.object({
  id: Id,
  status: z.string(),
  progress: lenient(z.number()),
  /** Seconds since 1970. */
  created_at: lenient(z.number()),
  prompt: lenient(z.string()),
  seconds: lenient(Text),
  /** Where the engine uploaded the video to a bucket. */
  url: lenient(z.string()),
  error: lenient(Failure),
})
export type VideoObject = z.output<typeof VideoObject>

const VideoList = z.object({ data: z.array(z.unknown()) })
const Deleted = z.object({ deleted: z.literal(true) })
const ModelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: lenient(z.string()),
      mode: lenient(z.string()),
      supported_task_types: lenient(z.array(z.string())),
      supported_endpoint_types: lenient(z.array(z.string())),
      offers: lenient(z.array(z.object({ task_types: z.array(z.string()), size: z.string(), seconds: z.int() }))),
    }),
  ),
})
/** LocalAI's list beside the usual one, which says nothing of its models but their names. */
const Capabilities = z.object({
  data: z.array(z.object({ id: z.string(), output_modalities: z.array(z.string()) })),
})
/** FastAPI answers `detail`, new-api `code` and `message`, and everyone else `error`. */
const Refusal = z.object({
  code: lenient(Text),
  message: lenient(z.string()),
  detail: z.optional(z.unknown()),
  error: z.optional(z.union([z.string(), z.object({ message: optional(z.string()), code: optional(Text) })])),
})

export interface VideosApiAccess {
  /** The part before `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly connectTimeoutMs: number
  readonly createTimeoutMs: number
  readonly queryTimeoutMs: number
}

export type VideosApiClient = ReturnType<typeof createVideosApiClient>

/**
 * Creates a client for the `/v1/videos` shape. Its methods throw ProviderError or NotSent; after any other error, the
 * outcome is unknown.
 */
export function createVideosApiClient(access: VideosApiAccess) {
  const { apiKey, connectTimeoutMs, createTimeoutMs, queryTimeoutMs } = access
  const root = `${trimEnd(access.baseUrl, '/')}/v1`
  const headers: Record<string, string> = apiKey ? { Authorization: `Bearer ${apiKey}` } : {}
  const one = (jobId: string) => `/videos/${encodeURIComponent(jobId)}`

  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, signal: AbortSignal, form?: FormData) => {
    const encoded = form && (await multipart(form))
    return httpCall(new URL(`${root}${path}`), {
      method,
      headers: { ...headers, ...(encoded ? { 'Content-Type': encoded.type } : {}) },
      body: encoded?.body,
      connectTimeoutMs,
      timeoutMs: form ? createTimeoutMs : queryTimeoutMs,
      signal,
    })
  }

  return {
    headers,
    contentUrl: (jobId: string) => `${root}${one(jobId)}/content`,

    /** Creates a job. Do not retry after an error: the shape has no idempotency keys. */
    async create(form: FormData): Promise<VideoObject> {
      return parse(VideoObject, await call('POST', '/videos', new AbortController().signal, form))
    },

    /** Returns a job, or undefined if the engine does not know it. Engines answer failed jobs with an error status. */
    async read(jobId: string, signal: AbortSignal): Promise<VideoObject | undefined> {
      const answer = await call('GET', one(jobId), signal)
      const job = z.safeParse(VideoObject, jsonOf(answer))
      if (job.success) return job.data
      // A proxy before an engine that restarts answers 404 as text.
      const isUnknown = answer.status === 404 && typeof jsonOf(answer) === 'object'
      if (refusalOf(answer).code === UNKNOWN_IN_NEW_API) return undefined
      return isUnknown ? undefined : parse(VideoObject, answer)
    },

    /** Returns the latest jobs that have an id and a status. */
    async list(signal: AbortSignal): Promise<VideoObject[]> {
      const { data } = parse(VideoList, await call('GET', '/videos?limit=100&order=desc', signal))
      return data.map((job) => z.safeParse(VideoObject, job)).flatMap((job) => (job.success ? [job.data] : []))
    },

    /** Deletes a job. Returns the HTTP status, and whether the engine confirmed the deletion. */
    async remove(jobId: string, signal: AbortSignal) {
      const answer = await call('DELETE', one(jobId), signal)
      return { status: answer.status, deleted: z.safeParse(Deleted, jsonOf(answer)).success, error: errorOf(answer) }
    },

    /** Returns what the server says of its models. */
    async models(signal: AbortSignal): Promise<ModelCard[]> {
      const { data } = parse(ModelList, await call('GET', '/models', signal))
      if (data.length === 0 || data.some(({ owned_by, mode }) => owned_by || mode)) return data
      const asked = z.safeParse(Capabilities, jsonOf(await call('GET', '/models/capabilities', signal)))
      const makes = new Map(asked.data?.data.map(({ id, output_modalities }) => [id, output_modalities]))
      return data.map((card) => ({ ...card, output_modalities: makes.get(card.id) }))
    },
  }
}

function jsonOf({ body }: HttpAnswer): unknown {
  try {
    return parseLosslessJson(body)
  } catch {
    return undefined
  }
}

function parse<S extends z.ZodMiniType>(schema: S, answer: HttpAnswer): z.output<S> {
  const parsed = z.safeParse(schema, jsonOf(answer))
  if (answer.status >= 200 && answer.status < 300 && parsed.success) return parsed.data
  throw errorOf(answer)
}

/** Words with which engines and gateways name a violation of their content policy. */
const POLICY = /content.?policy|moderation|sensitive|nsfw|safety/i

export const isPolicyViolation = (text: string): boolean => POLICY.test(text)

/** The server itself says that it failed, which a proxy before it would not. Its list tells whether it created the job. */
export class EngineFault extends ProviderError {
  override name = 'EngineFault'
}

/** Code of new-api, which answers HTTP 400 then. */
const UNKNOWN_IN_NEW_API = 'task_not_exist'

function refusalOf(answer: HttpAnswer): Partial<z.output<typeof Refusal>> {
  const parsed = z.safeParse(Refusal, jsonOf(answer))
  return parsed.success ? parsed.data : {}
}

function errorOf(answer: HttpAnswer): ProviderError {
  const { code, message, detail, error } = refusalOf(answer)
  const own = typeof error === 'string' ? error : [error?.code, error?.message]
  const text = [code, message, own, detail && JSON.stringify(detail)].flat().filter(Boolean).join(' ')
  const sentence = `The engine answered HTTP ${answer.status} ${text}`.trim()
  const kind = kindOfHttpStatus(answer.status)
  // A gateway answers 504 while its engine may still be at work.
  if (answer.status >= 500 && answer.status !== 504 && text !== '') return new EngineFault(kind, sentence)
  const refused = kind === 'invalid_request' && isPolicyViolation(text)
  return new ProviderError(refused ? 'content' : kind, sentence)
}
