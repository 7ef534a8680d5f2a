import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'

export interface S3Access {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const TRIES = 4
/** A local copy stays for so long after it was last asked for. */
const COPY_MS = 15 * 60_000
/** Nothing of a request may take longer than this, except the bytes of an answer. */
const ANSWER_MS = 60_000

/** Media in a bucket that speaks S3, addressed by path. `copies` is a folder for files that must lie on this machine. */
export function createS3MediaStore(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Access,
  copies: string,
): MediaStore {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  /** Checks each key before anything is done with it, here or there. */
  const address = (key: string) => {
    const parts = key.split('/')
    if (parts.some((part) => !/^[\w.-]+$/.test(part) || /^\.+$/.test(part)))
      throw new Error(`A media key leaves its bucket: ${key}`)
    return `${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`
  }

  /** A call whose answer is one of these statuses; what may pass is tried again. */
  const call = async (
    method: string,
    key: string,
    expected: number[],
    init: { headers?: HeadersInit; body?: Blob } = {},
  ) => {
    const url = address(key)
    for (let attempt = 1; ; attempt++) {
      const fault = await fetchOnce(url, method, init).catch((error: Error) => error)
      if (fault instanceof Response) {
        if (expected.includes(fault.status)) return fault
        await fault.body?.cancel()
      }
      const passing = !(fault instanceof Response) || fault.status >= 500 || fault.status === 429
      if (!passing || attempt === TRIES) throw failed(method, key, fault)
      await delay(100 * 2 ** attempt)
    }
  }

  const fetchOnce = async (url: string, method: string, { headers, body }: { headers?: HeadersInit; body?: Blob }) => {
    const signed = await client.sign(url, { method, ...(headers ? { headers } : {}) })
    const overdue = new AbortController()
    const timer = setTimeout(() => overdue.abort(), ANSWER_MS + (body?.size ?? 0) / 100)
    try {
      const sending = body ? { body } : {}
      return await fetch(url, { method, headers: signed.headers, signal: overdue.signal, ...sending })
    } finally {
      clearTimeout(timer)
    }
  }

  const read = (key: string, range?: { start: number; end: number }): Readable =>
    Readable.from(
      (async function* () {
        const headers: HeadersInit = range ? { Range: `bytes=${range.start}-${range.end}` } : {}
        const answer = await call('GET', key, [range ? 206 : 200], { headers })
        yield* answer.body as unknown as AsyncIterable<Uint8Array>
      })(),
      { objectMode: false },
    )

  return {
    async put(key, file) {
      const body = await openAsBlob(file)
      // The bucket checks what arrives against this, so that a file is stored as a whole or not at all.
      const headers = { 'X-Amz-Content-Sha256': await sha256(file), 'Content-Type': typeOf(key) }
      await call('PUT', key, [200], { headers, body })
      await rm(file)
    },

    async size(key) {
      const answer = await call('HEAD', key, [200, 404])
      return answer.status === 404 ? undefined : Number(answer.headers.get('content-length'))
    },

    read,

    async localPath(key) {
      address(key)
      const copy = path.join(copies, encodeURIComponent(key))
      await mkdir(copies, { recursive: true })
      await dropOld(copies)
      const now = new Date()
      // Files never change under their key, so that a copy is as good as new.
      if (
        await utimes(copy, now, now).then(
          () => true,
          () => false,
        )
      )
        return copy
      const arriving = `${copy}.${randomUUID()}.part`
      try {
        await pipeline(read(key), createWriteStream(arriving))
        await rename(arriving, copy)
      } finally {
        await rm(arriving, { force: true })
      }
      return copy
    },

    async remove(key) {
      await call('DELETE', key, [200, 204, 404])
      await rm(path.join(copies, encodeURIComponent(key)), { force: true })
    },
  }
}

const failed = (method: string, key: string, fault: Response | Error) => {
  const what = fault instanceof Response ? `HTTP ${fault.status}` : fault.message
  return new Error(`The bucket refused ${method} ${key}: ${what}`, fault instanceof Error ? { cause: fault } : {})
}

const typeOf = (key: string) => (key.endsWith('.mp4') ? 'video/mp4' : 'image/jpeg')

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function dropOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const used = await stat(file).catch(() => undefined)
    if (used && Date.now() - used.mtimeMs > COPY_MS) await rm(file, { force: true })
  }
}
