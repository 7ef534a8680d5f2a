import { WebSocket } from 'ws'
import * as z from 'zod/mini'

const Progress = z.object({
  type: z.literal('progress'),
  data: z.object({ prompt_id: z.string(), value: z.number(), max: z.number().check(z.positive()) }),
})

const RECONNECT_MS = 5_000
const MAX_MESSAGE_BYTES = 16 << 20

interface ProgressOptions {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Messages go to the client that queued the job. */
  readonly clientId: string
}

/**
 * Receives the progress of jobs from ComfyUI's socket. It is best effort: without the socket, progress is unknown.
 * Connects when it is first asked.
 */
export function createComfyuiProgress({ baseUrl, headers, clientId }: ProgressOptions) {
  const percents = new Map<string, number>()
  let socket: WebSocket | undefined
  let triedAt = 0

  const connect = () => {
    if (socket || Date.now() - triedAt < RECONNECT_MS) return
    triedAt = Date.now()
    const url = `${baseUrl.replace(/^http/, 'ws')}/ws?clientId=${clientId}`
    const opened = new WebSocket(url, { headers, maxPayload: MAX_MESSAGE_BYTES, handshakeTimeout: RECONNECT_MS })
    socket = opened
    opened.on('message', (data, isBinary) => {
      // Binary messages are previews.
      if (!isBinary) record(String(data))
    })
    opened.on('error', () => {})
    opened.on('close', () => {
      if (socket === opened) socket = undefined
    })
  }

  const record = (text: string) => {
    const message = z.safeParse(Progress, parseJson(text))
    if (!message.success) return
    const { prompt_id: id, value, max } = message.data.data
    // A graph with two samplers counts twice, but progress never goes back.
    percents.set(id, Math.max(percents.get(id) ?? 0, Math.min(99, Math.round((value / max) * 100))))
  }

  return {
    connect,
    percentOf: (jobId: string): number | undefined => percents.get(jobId),
    forget: (jobId: string) => void percents.delete(jobId),
    close: () => socket?.terminate(),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
