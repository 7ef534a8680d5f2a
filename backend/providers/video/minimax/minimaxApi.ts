import * as z from 'zod/mini'
import { parseLossless } from './losslessJson.ts'
import { type Meaning, meaningOf, meaningOfStatus } from './minimaxCodes.ts'
import { httpCall } from './minimaxHttp.ts'

/** Ids are text or whole numbers of up to 64 bits; for us they are text. */
const Id = z.pipe(z.union([z.string(), z.int()]), z.transform(String))
const Envelope = z.object({ base_resp: z.object({ status_code: z.number(), status_msg: z.optional(z.string()) }) })
const Created = z.object({ task_id: Id })
export const Queried = z.object({
  task_id: z.optional(Id),
  status: z.string(),
  file_id: z.optional(z.nullable(Id)),
})
const Retrieved = z.object({
  file: z.object({ download_url: z.url(), bytes: z.optional(z.nullable(z.number())) }),
})

/** The provider's answer says no. Its key is never in the message. */
export class MinimaxRefusal extends Error {
  override name = 'MinimaxRefusal'
  readonly meaning: Exclude<Meaning, 'fine'>

  constructor(meaning: Exclude<Meaning, 'fine'>, message: string) {
    super(message)
    this.meaning = meaning
  }
}

export interface MinimaxAccess {
  readonly apiKey: string
  readonly baseUrl: string
  /** Milliseconds; a first frame of many megabytes takes its time. */
  readonly createMs: number
  readonly askMs: number
  readonly connectMs: number
}

export type MinimaxApi = ReturnType<typeof createMinimaxApi>

/**
 * The three calls of MiniMax's video API, v1. Errors come as HTTP 200 with a code in `base_resp`.
 * @throws MinimaxRefusal, NotSent; any other error leaves open what happened
 */
export function createMinimaxApi({ apiKey, baseUrl, createMs, askMs, connectMs }: MinimaxAccess) {
  const call = async <S extends z.ZodMiniType>(schema: S, path: string, signal: AbortSignal, body?: object) => {
    const { status, body: text } = await httpCall(new URL(path, baseUrl), {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      connectMs,
      timeoutMs: body ? createMs : askMs,
      signal,
    })
    return understood(schema, status, text)
  }
  const query = (name: string, value: string) => `?${new URLSearchParams({ [name]: value })}`

  return {
    /** Answers the job's id. Never ask again when this threw: there is no key that would make it one job. */
    async create(body: object): Promise<string> {
      return (await call(Created, '/v1/video_generation', new AbortController().signal, body)).task_id
    },
    query: (jobId: string, signal: AbortSignal) =>
      call(Queried, `/v1/query/video_generation${query('task_id', jobId)}`, signal),
    /** The link lives for an hour; asking again renews it. */
    async retrieve(fileId: string, signal: AbortSignal) {
      return (await call(Retrieved, `/v1/files/retrieve${query('file_id', fileId)}`, signal)).file
    },
  }
}

function understood<S extends z.ZodMiniType>(schema: S, status: number, text: string): z.output<S> {
  let answer: unknown
  try {
    answer = parseLossless(text)
  } catch {
    answer = undefined
  }
  const envelope = z.safeParse(Envelope, answer)
  if (!envelope.success) throw refusal(status >= 400 ? meaningOfStatus(status) : 'unclear', `HTTP ${status}`)
  const { status_code, status_msg = '' } = envelope.data.base_resp
  const meaning = meaningOf(status_code)
  if (meaning !== 'fine') throw refusal(meaning, `${status_code} ${status_msg}`.trim())
  const parsed = z.safeParse(schema, answer)
  if (!parsed.success) throw refusal('unclear', `an answer of another shape (HTTP ${status})`)
  return parsed.data
}

const refusal = (meaning: Meaning, detail: string) =>
  new MinimaxRefusal(meaning === 'fine' ? 'unclear' : meaning, `MiniMax answered ${detail.slice(0, 200)}`)
