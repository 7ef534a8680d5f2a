import * as z from 'zod/mini'
import { httpCall } from '../httpCall.ts'
import { parseLosslessJson } from '../losslessJson.ts'
import { kindOfHttpStatus, ProviderError, type ProviderErrorKind } from '../providerError.ts'

/** MiniMax sends ids as strings or as integers of up to 64 bits. Converts both to strings. */
const Id = z.pipe(z.union([z.string(), z.int()]), z.transform(String))
const Envelope = z.object({ base_resp: z.object({ status_code: z.number(), status_msg: z.optional(z.string()) }) })
const Created = z.object({ task_id: Id })
const Queried = z.object({ task_id: z.optional(Id), status: z.string(), file_id: z.optional(z.nullable(Id)) })
const Retrieved = z.object({ file: z.object({ download_url: z.url(), bytes: z.optional(z.nullable(z.number())) }) })

const KINDS_BY_CODE: Readonly<Record<ProviderErrorKind, readonly number[]>> = {
  // Unknown error, timeout, internal errors.
  unknown: [1000, 1001, 1013, 1024, 1033],
  // Limits on requests, tokens and connections.
  rate_limited: [1002, 1039, 1041, 2045],
  credentials: [1004, 2049],
  // The operator's balance is used up, or the plan does not include the model.
  account: [1008, 2056, 2061],
  // The prompt or the video violates the content policy.
  content: [1026, 1027],
  invalid_request: [2013],
}

function kindOfCode(code: number): ProviderErrorKind {
  const [kind] = Object.entries(KINDS_BY_CODE).find(([, codes]) => codes.includes(code)) ?? []
  return (kind as ProviderErrorKind | undefined) ?? 'unknown'
}

/** An error response from MiniMax. */
export class MinimaxError extends ProviderError {
  override name = 'MinimaxError'
  /** MiniMax's own code; undefined for an answer without one, for example from a proxy. */
  readonly code: number | undefined

  constructor(kind: ProviderErrorKind, detail: string, code?: number) {
    super(kind, `MiniMax answered ${detail}`)
    this.code = code
  }
}

interface MinimaxAccess {
  readonly apiKey: string
  readonly baseUrl: string
  readonly connectTimeoutMs: number
  readonly createTimeoutMs: number
  readonly queryTimeoutMs: number
}

export type MinimaxApi = ReturnType<typeof createMinimaxApi>

/**
 * Creates a client for the three endpoints of MiniMax's video API v1, which reports errors as HTTP 200 with a code in
 * `base_resp`. Its methods throw MinimaxError or NotSent; after any other error, the outcome is unknown.
 */
export function createMinimaxApi(access: MinimaxAccess) {
  const { apiKey, baseUrl, connectTimeoutMs, createTimeoutMs, queryTimeoutMs } = access
  const call = async <S extends z.ZodMiniType>(schema: S, path: string, signal: AbortSignal, body?: object) => {
    const { status, body: text } = await httpCall(new URL(path, baseUrl), {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      connectTimeoutMs,
      timeoutMs: body ? createTimeoutMs : queryTimeoutMs,
      signal,
    })
    return parseResponse(schema, status, text)
  }
  const query = (name: string, value: string) => `?${new URLSearchParams({ [name]: value })}`

  return {
    /** Creates a job and returns its id. Do not retry after an error: the API has no idempotency keys. */
    async create(body: object): Promise<string> {
      return (await call(Created, '/v1/video_generation', new AbortController().signal, body)).task_id
    },
    query: (jobId: string, signal: AbortSignal) =>
      call(Queried, `/v1/query/video_generation${query('task_id', jobId)}`, signal),
    /** Returns a download link that is valid for an hour. Another call renews it. */
    async retrieve(fileId: string, signal: AbortSignal) {
      return (await call(Retrieved, `/v1/files/retrieve${query('file_id', fileId)}`, signal)).file
    },
  }
}

function parseResponse<S extends z.ZodMiniType>(schema: S, status: number, text: string): z.output<S> {
  let answer: unknown
  try {
    answer = parseLosslessJson(text)
  } catch {
    answer = undefined
  }
  const envelope = z.safeParse(Envelope, answer)
  if (!envelope.success) throw new MinimaxError(status >= 400 ? kindOfHttpStatus(status) : 'unknown', `HTTP ${status}`)
  const { status_code, status_msg = '' } = envelope.data.base_resp
  if (status_code !== 0)
    throw new MinimaxError(kindOfCode(status_code), `${status_code} ${status_msg}`.trim(), status_code)
  const parsed = z.safeParse(schema, answer)
  if (!parsed.success) throw new MinimaxError('unknown', `an unexpected body (HTTP ${status})`)
  return parsed.data
}
