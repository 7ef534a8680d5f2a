import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Guard, RefusedAddress } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { removeFile } from '#backend/kernel/media/atomicFile.ts'
import { UndeliverableVideo } from '#backend/tasks/videoProvider.port.ts'

export interface VideoLink {
  readonly url: string
  /** Size of the complete file. Missing, null or 0 if the provider does not report it. */
  readonly bytes?: number | null | undefined
}

export interface DownloadOptions {
  readonly guard: Pick<Guard, 'open'>
  /** Address of the engine. Only links to the same origin carry `headers`. */
  readonly engine: string
  /** Headers for the engine, such as its API key. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal: AbortSignal
  /** Maximum time without receiving data, ms. */
  readonly stallTimeoutMs: number
  readonly maxBytes?: number | undefined
}

/** The file is larger than allowed. */
export class TooLarge extends UndeliverableVideo {
  override name = 'TooLarge'
}

/** Far above the size of a video of a minute in 2K. */
const MAX_BYTES = 2 ** 30
const MAX_ATTEMPTS = 5
/** Pieces that wait for the disk are written with one call. By default the connection stops for each. */
const WRITE_BYTES = 1 << 20
const EXPIRED_STATUSES: readonly (number | undefined)[] = [401, 403, 404, 410]

/**
 * Downloads a file from expiring links that a provider's answer names. Resumes an interrupted download if the size is
 * known, and renews an expired link.
 * @param link requests a new link
 * @throws RefusedAddress, TooLarge, or the last error after five attempts
 */
export async function downloadVideo(
  link: () => Promise<VideoLink>,
  file: string,
  options: DownloadOptions,
): Promise<void> {
  let current = await link()
  let lastError: unknown
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    options.signal.throwIfAborted()
    try {
      const status = await downloadRest(current, file, options)
      if (status === 'complete') return
      if (status === 'expired') current = await link()
      lastError = new Error(`The finished file could not be downloaded: ${status}.`)
    } catch (error) {
      if (error instanceof RefusedAddress || error instanceof TooLarge) throw error
      lastError = error
    }
  }
  throw lastError
}

async function downloadRest(
  { url, bytes }: VideoLink,
  file: string,
  { guard, engine, headers, stallTimeoutMs, maxBytes = MAX_BYTES, ...access }: DownloadOptions,
): Promise<'complete' | 'expired' | 'incomplete' | `HTTP ${number}`> {
  if (bytes && bytes > maxBytes) throw new TooLarge(`The file has ${bytes} bytes`)
  const have = bytes ? await sizeOf(file) : 0
  if (bytes && have === bytes) return 'complete'
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(new Error('The download stalled.')), stallTimeoutMs)
  const signal = AbortSignal.any([access.signal, stalled.signal])
  try {
    const { origin } = new URL(engine)
    const range: Record<string, string> = have > 0 ? { Range: `bytes=${have}-` } : {}
    const response = await guard.open(url, {
      headers: (at) => ({ ...(at.origin === origin && headers), ...range }),
      signal,
    })
    const { statusCode = 0 } = response
    if (statusCode !== 200 && statusCode !== 206) {
      response.destroy()
      return EXPIRED_STATUSES.includes(statusCode) ? 'expired' : `HTTP ${statusCode}`
    }
    const resumes = statusCode === 206 && response.headers['content-range']?.startsWith(`bytes ${have}-`)
    if (statusCode === 206 && !(resumes && have > 0)) {
      // A part that does not follow would leave a file of the right size with the wrong content.
      response.destroy()
      await removeFile(file)
      return 'incomplete'
    }
    const start = resumes ? have : 0
    if (start + Number(response.headers['content-length'] ?? 0) > maxBytes) {
      response.destroy()
      throw new TooLarge(`The file has more than ${maxBytes} bytes`)
    }
    const counted = countBytes(start, maxBytes, () => timer.refresh())
    const written = createWriteStream(file, { flags: resumes ? 'a' : 'w', highWaterMark: WRITE_BYTES })
    await pipeline(response, counted, written, { signal })
    return !bytes || (await sizeOf(file)) === bytes ? 'complete' : 'incomplete'
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function countBytes(start: number, maxBytes: number, onData: () => void): Transform {
  let size = start
  return new Transform({
    transform(chunk: Buffer, _, pass) {
      onData()
      size += chunk.length
      if (size > maxBytes) return pass(new TooLarge(`The file has more than ${maxBytes} bytes`))
      pass(null, chunk)
    },
  })
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
