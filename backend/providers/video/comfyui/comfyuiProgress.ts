import { WebSocket } from 'ws'
import * as z from 'zod/mini'
import type { RenderProgress } from '#backend/tasks/videoProvider.port.ts'

const Progress = z.object({
  type: z.literal('progress'),
  data: z.object({ prompt_id: z.string(), value: z.number(), max: z.number().check(z.positive()) }),
})

/** Start of a binary message with a preview in JPEG: two big-endian numbers. */
const JPEG_PREVIEW = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])
const RECONNECT_MS = 5_000
const MAX_MESSAGE_BYTES = 16 << 20

interface ProgressOptions {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Messages go to the client that queued the job. */
  readonly clientId: string
}

/**
 * Receives the progress of jobs, and the picture so far if the server makes previews, from ComfyUI's socket. It is best
 * effort: without the socket, both are unknown. Connects when it is first asked.
 */
export function createComfyuiProgress({ baseUrl, headers, clientId }: ProgressOptions) {
  /**
   * The job that ComfyUI works on: it renders one at a time, and a preview follows the progress of its job. Those before
   * are forgotten, because another process may discard them.
   */
  let current: { readonly id: string; percent: number; frame?: Uint8Array } | undefined
  let socket: WebSocket | undefined
  /** Monotonic, ms. */
  let triedAt = Number.NEGATIVE_INFINITY

  const connect = () => {
    if (socket || performance.now() - triedAt < RECONNECT_MS) return
    triedAt = performance.now()
    const url = `${baseUrl.replace(/^http/, 'ws')}/ws?clientId=${clientId}`
    const opened = new WebSocket(url, { headers, maxPayload: MAX_MESSAGE_BYTES, handshakeTimeout: RECONNECT_MS })
    socket = opened
    opened.on('message', (data, isBinary) => {
      if (isBinary) recordPreview(data as Buffer)
      else record(String(data))
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
    if (current?.id !== id) current = { id, percent: 0 }
    // A graph with two samplers counts twice, but progress never goes back.
    current.percent = Math.max(current.percent, Math.min(99, Math.round((value / max) * 100)))
  }

  const recordPreview = (data: Buffer) => {
    const isJpeg = data.subarray(0, JPEG_PREVIEW.length).equals(JPEG_PREVIEW)
    if (current && isJpeg) current.frame = data.subarray(JPEG_PREVIEW.length)
  }

  return {
    connect,
    progressOf: (jobId: string): RenderProgress => {
      const { percent, frame } = current?.id === jobId ? current : {}
      return { percent, frame }
    },
    forget(jobId: string) {
      if (current?.id === jobId) current = undefined
    },
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
