import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

interface Link {
  readonly download_url: string
  /** Size of the complete file. Missing, null or 0 if the provider does not report it. */
  readonly bytes?: number | null | undefined
}

const MAX_ATTEMPTS = 5
const EXPIRED_STATUSES = [401, 403, 404, 410]

/**
 * Downloads a file from expiring links. Resumes an interrupted download and renews an expired link.
 * @param link requests a new link
 * @param stallTimeoutMs maximum time without receiving data
 * @throws the last error, after five attempts
 */
export async function downloadFile(
  link: () => Promise<Link>,
  file: string,
  { signal, stallTimeoutMs }: { signal: AbortSignal; stallTimeoutMs: number },
): Promise<void> {
  let current = await link()
  let lastError: unknown
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    signal.throwIfAborted()
    try {
      const status = await downloadRest(current, file, signal, stallTimeoutMs)
      if (status === 'complete') return
      if (status === 'expired') current = await link()
      lastError = new Error(`The finished file could not be downloaded: ${status}.`)
    } catch (error) {
      lastError = error
    }
  }
  throw lastError
}

async function downloadRest(
  { download_url, bytes }: Link,
  file: string,
  signal: AbortSignal,
  stallTimeoutMs: number,
): Promise<'complete' | 'expired' | 'incomplete' | `HTTP ${number}`> {
  const have = bytes ? await sizeOf(file) : 0
  if (bytes && have === bytes) return 'complete'
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(new Error('The download stalled.')), stallTimeoutMs)
  try {
    const headers: Record<string, string> = have > 0 ? { Range: `bytes=${have}-` } : {}
    const answer = await fetch(download_url, { headers, signal: AbortSignal.any([signal, stalled.signal]) })
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel()
      return EXPIRED_STATUSES.includes(answer.status) ? 'expired' : `HTTP ${answer.status}`
    }
    const resumes = answer.status === 206 && answer.headers.get('content-range')?.startsWith(`bytes ${have}-`)
    const watched = new Transform({
      transform(chunk, _, pass) {
        timer.refresh()
        pass(null, chunk)
      },
    })
    const source = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(source, watched, createWriteStream(file, { flags: resumes ? 'a' : 'w' }))
    return !bytes || (await sizeOf(file)) === bytes ? 'complete' : 'incomplete'
  } finally {
    clearTimeout(timer)
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
