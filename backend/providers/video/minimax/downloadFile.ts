import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Link {
  readonly download_url: string
  /** The whole file's; left out or 0 where the provider does not say. */
  readonly bytes?: number | null | undefined
}

const TRIES = 5
/** Statuses of a link that is not valid any more. */
const EXPIRED = [401, 403, 404, 410]

/**
 * Copies a file from links that expire. What arrived before a cut is kept and only the rest is asked for; an expired link
 * is renewed.
 * @param stallMs so long nothing may arrive  @throws after some tries
 */
export async function downloadFile(
  link: () => Promise<Link>,
  file: string,
  { signal, stallMs }: { signal: AbortSignal; stallMs: number },
): Promise<void> {
  let current = await link()
  let fault: unknown
  for (let attempt = 0; attempt < TRIES; attempt++) {
    signal.throwIfAborted()
    try {
      const status = await copyRest(current, file, signal, stallMs)
      if (status === 'whole') return
      if (status === 'expired') current = await link()
      fault = new Error(`The finished file could not be fetched: ${status}.`)
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

async function copyRest(
  { download_url, bytes }: Link,
  file: string,
  signal: AbortSignal,
  stallMs: number,
): Promise<'whole' | 'expired' | 'cut short' | `HTTP ${number}`> {
  const have = bytes ? await sizeOf(file) : 0
  if (bytes && have === bytes) return 'whole'
  const stalled = new AbortController()
  const watch = setTimeout(() => stalled.abort(new Error('Nothing arrived for too long.')), stallMs)
  try {
    const headers: Record<string, string> = have > 0 ? { Range: `bytes=${have}-` } : {}
    const answer = await fetch(download_url, { headers, signal: AbortSignal.any([signal, stalled.signal]) })
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel()
      return EXPIRED.includes(answer.status) ? 'expired' : `HTTP ${answer.status}`
    }
    const continues = answer.status === 206 && answer.headers.get('content-range')?.startsWith(`bytes ${have}-`)
    const arriving = new Transform({
      transform(chunk, _, pass) {
        watch.refresh()
        pass(null, chunk)
      },
    })
    const source = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(source, arriving, createWriteStream(file, { flags: continues ? 'a' : 'w' }))
    return !bytes || (await sizeOf(file)) === bytes ? 'whole' : 'cut short'
  } finally {
    clearTimeout(watch)
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
