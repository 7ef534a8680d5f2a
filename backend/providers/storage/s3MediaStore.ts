import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, readdir, rename, stat, unlink, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { trimEnd } from '#backend/kernel/trimEnd.ts'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import type { ListedStore } from '../../kernel/media/mediaStore.port.ts'
import { sha256OfFile } from '../../kernel/media/sha256.ts'

export interface S3Access {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

type Init = Readonly<{ method: string; headers?: HeadersInit; body?: Blob }>

const MAX_ATTEMPTS = 4
/** Time until an unused local copy is removed. */
const COPY_LIFETIME_MS = 15 * 60_000
/** Interval of the search for unused copies. */
const SWEEP_INTERVAL_MS = 60_000
/** Timeout for the response headers, in addition to the time to upload the body. */
const RESPONSE_TIMEOUT_MS = 60_000

/** Creates the signed requests to a bucket. */
function createBucket(access: S3Access) {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = access
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const root = `${trimEnd(endpoint, '/')}/${bucket}`
  /** Returns the URL of a key. @throws Error if the key has a segment that is not a plain name */
  const address = (key: string) => {
    const parts = key.split('/')
    if (parts.some((part) => !/^[\w.-]+$/.test(part) || /^\.+$/.test(part)))
      throw new Error(`The media key leaves its bucket: ${key}`)
    return `${root}/${key}`
  }

  const fetchOnce = async (url: string, init: Init) => {
    const { method, headers = {}, body } = init
    const signed = await client.sign(url, { method, headers })
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), RESPONSE_TIMEOUT_MS + (body?.size ?? 0) / 100)
    try {
      return await fetch(url, { ...init, headers: signed.headers, signal: timeout.signal })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends a request, retrying temporary failures. @throws Error if the final status is not an expected one */
  const request = (key: string, expected: readonly number[], init: Init) => send(address(key), key, expected, init)
  const send = async (url: string, key: string, expected: readonly number[], init: Init): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const result = await fetchOnce(url, init).catch((error: Error) => error)
      const response = result instanceof Response ? result : undefined
      if (response && expected.includes(response.status)) return response
      await response?.body?.cancel()
      const isTemporary = !response || response.status >= 500 || response.status === 429
      if (!isTemporary || attempt === MAX_ATTEMPTS) {
        const reason = result instanceof Response ? `HTTP ${result.status}` : result.message
        throw new Error(`The bucket refused ${init.method} ${key}: ${reason}`, response ? {} : { cause: result })
      }
      await delay(100 * 2 ** attempt)
    }
  }

  const size = async (key: string) => {
    const { status, headers } = await request(key, [200, 404], { method: 'HEAD' })
    return status === 404 ? undefined : Number(headers.get('content-length'))
  }

  const read = (key: string, range?: { start: number; end: number }): Readable =>
    Readable.from(
      (async function* () {
        const headers: HeadersInit = range ? { Range: `bytes=${range.start}-${range.end}` } : {}
        const response = await request(key, [range ? 206 : 200], { method: 'GET', headers })
        yield* response.body!
      })(),
      { objectMode: false },
    )

  return { root, address, send, request, size, read }
}

/** Creates a media store in an S3 bucket with path-style URLs. `copies` is a folder for local copies of files. */
export function createS3MediaStore(access: S3Access, copies: string): ListedStore {
  const { root, address, send, request, size, read } = createBucket(access)
  let sweep: NodeJS.Timeout | undefined
  /** Keeps removing unused copies: other processes remove films without this process noticing. */
  const keepSweeping = () => {
    if (sweep) return
    sweep = setInterval(() => void removeUnused(copies).catch(() => {}), SWEEP_INTERVAL_MS).unref()
  }

  return {
    async put(key, file) {
      const body = await openAsBlob(file)
      // The bucket verifies this hash, so a file is stored completely or not at all.
      const headers = { 'X-Amz-Content-Sha256': await sha256OfFile(file), 'Content-Type': typeOf(key) }
      await request(key, [200], { method: 'PUT', headers, body })
      await unlink(file)
    },

    size,

    read,

    async localPath(key) {
      address(key)
      const copy = path.join(copies, encodeURIComponent(key))
      await mkdir(copies, { recursive: true })
      keepSweeping()
      const now = new Date()
      // The content of a key never changes, so a copy never becomes stale.
      const missing = await utimes(copy, now, now).catch((error: Error) => error)
      if (!missing) return copy
      const partial = `${copy}.${randomUUID()}.part`
      try {
        await pipeline(read(key), createWriteStream(partial))
        await rename(partial, copy)
      } finally {
        await removeFile(partial)
      }
      // The file may have been removed during the download, also by another process.
      if ((await size(key)) === undefined) {
        await removeFile(copy)
        throw new Error(`The media file was removed during its download: ${key}`)
      }
      return copy
    },

    async remove(key) {
      await request(key, [200, 204, 404], { method: 'DELETE' })
      await removeFile(path.join(copies, encodeURIComponent(key)))
    },

    async *list(folder) {
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: folder })
        if (token) query.set('continuation-token', token)
        const page = await (await send(`${root}?${query}`, `${folder}*`, [200], { method: 'GET' })).text()
        yield* listedObjects(page)
        token = /<NextContinuationToken>([^<]+)</.exec(page)?.[1]
      }
    },
  }
}

const TYPES = { '.mp4': 'video/mp4', '.jpg': 'image/jpeg' } as Readonly<Record<string, string>>
const typeOf = (key: string) => TYPES[path.extname(key)] ?? 'application/octet-stream'

/** Reads a page of ListObjectsV2. Keys of media stores need no unescaping. */
function* listedObjects(page: string) {
  for (const object of page.split('<Contents>').slice(1)) {
    const [key, size] = ['Key', 'Size'].map((name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(object)?.[1])
    if (key && size) yield { key, size: Number(size) }
  }
}

async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const used = await stat(file).catch(() => undefined)
    if (used && Date.now() - used.mtimeMs > COPY_LIFETIME_MS) await removeFile(file)
  }
}
