import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGuard, RefusedAddress } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { REFUSED_ADDRESSES } from '#backend/kernel/http/outgoing/testing/refusedAddresses.ts'
import { type DownloadOptions, downloadVideo, TooLarge } from './downloadVideo.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-download-'))
const VIDEO = randomBytes(50_000)
const servers: Server[] = []
const started = async (serve: RequestListener) => {
  const server = createServer(serve)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let engine: string
/** Another service on the engine's host, which a provider's answer must not reach. */
let secret: string
let serve: RequestListener
const received: IncomingMessage[] = []
const leaked: IncomingMessage[] = []

beforeAll(async () => {
  engine = await started((request, response) => {
    received.push(request)
    serve(request, response)
  })
  secret = await started((request, response) => {
    leaked.push(request)
    response.end('secret')
  })
})
beforeEach(() => {
  received.length = leaked.length = 0
  serve = (_, response) => response.end(VIDEO)
})
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

const download = async (url: string, options: Partial<DownloadOptions> & { bytes?: number } = {}) => {
  const file = path.join(folder, `${Math.random()}.mp4`)
  const { bytes, ...rest } = options
  const usual = {
    guard: createGuard().trusting(engine),
    engine,
    signal: new AbortController().signal,
    stallTimeoutMs: 3_000,
  }
  await downloadVideo(async () => ({ url, bytes }), file, { ...usual, ...rest })
  return readFile(file)
}

describe('a link of a provider', () => {
  it('is downloaded from the configured engine, with its headers', async () => {
    expect(await download(`${engine}/video`, { headers: { Authorization: 'Bearer key' } })).toEqual(VIDEO)
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer key'])
  })

  const UNSAFE = [...REFUSED_ADDRESSES, '/etc/passwd', '']
  it.each(UNSAFE)('is refused when it is %s', async (url) => {
    await expect(download(url)).rejects.toThrow(RefusedAddress)
  })
  it.each(UNSAFE.filter((url) => /^[!-~]+:\/\/[!-~]+$/.test(url)))(
    'is refused when it redirects to %s',
    async (url) => {
      serve = (_, response) => response.writeHead(302, { location: url }).end()
      await expect(download(`${engine}/video`)).rejects.toThrow(RefusedAddress)
      expect(received).toHaveLength(1)
    },
  )
  it('is refused when it leads to another port of the engine, directly or by a redirect', async () => {
    await expect(download(secret)).rejects.toThrow(RefusedAddress)
    serve = (_, response) => response.writeHead(307, { location: secret }).end()
    await expect(download(`${engine}/video`)).rejects.toThrow(RefusedAddress)
    expect(leaked).toEqual([])
  })
  it('is refused without a configured engine when it is private', async () => {
    await expect(download(`${engine}/video`, { guard: createGuard() })).rejects.toThrow(RefusedAddress)
    expect(received).toEqual([])
  })
  it('is refused when its name resolves to a private address', async () => {
    const port = new URL(secret).port
    const guard = createGuard({
      resolve: (_host, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    await expect(download(`https://videos.test:${port}/`, { guard })).rejects.toThrow(RefusedAddress)
    expect(leaked).toEqual([])
  })
  it('follows redirects within the engine, at most five', async () => {
    serve = (request, response) =>
      request.url === '/video' ? response.end(VIDEO) : response.writeHead(302, { location: '/video' }).end()
    expect(await download(`${engine}/moved`)).toEqual(VIDEO)
    serve = (_, response) => response.writeHead(302, { location: '/again' }).end()
    await expect(download(`${engine}/again`)).rejects.toThrow('redirects too often')
  })
})

describe('a download', () => {
  it('stops at the maximum size, also if the provider announces less', async () => {
    await expect(download(engine, { maxBytes: 49_999 })).rejects.toThrow(TooLarge)
    await expect(download(engine, { maxBytes: 49_999, bytes: 10 })).rejects.toThrow(TooLarge)
    await expect(download(engine, { maxBytes: 49_999, bytes: 50_000 })).rejects.toThrow(TooLarge)
    expect(received).toHaveLength(2)
    expect(await download(engine, { maxBytes: 50_000 })).toEqual(VIDEO)
  })
  it('reads nothing of a file whose announced length is too large, and is not requested again', async () => {
    serve = (_, response) => {
      response.writeHead(200, { 'content-length': VIDEO.length }).flushHeaders()
    }
    await expect(download(engine, { maxBytes: 49_999 })).rejects.toThrow(TooLarge)
    expect(received).toHaveLength(1)
  })
  it('is requested again when no data arrives', async () => {
    serve = (_, response) => (received.length > 1 ? response.end(VIDEO) : response.write('begun'))
    expect(await download(engine)).toEqual(VIDEO)
  })
  it('never joins parts that do not follow each other', async () => {
    const part = (from: number, to: number) => (response: ServerResponse) =>
      response.writeHead(206, { 'content-range': `bytes ${from}-${to - 1}/50000` }).end(VIDEO.subarray(from, to))
    const answers = [
      (response: ServerResponse) => response.write(VIDEO.subarray(0, 30_000), () => response.destroy()),
      // Some caches answer from the start of a block.
      part(20_000, 50_000),
      part(30_000, 50_000),
    ]
    serve = (_, response) => (answers.shift() ?? ((end: ServerResponse) => end.end(VIDEO)))(response)
    expect(await download(engine, { bytes: VIDEO.length })).toEqual(VIDEO)
  })
  it('ends when it is aborted', async () => {
    const cancel = new AbortController()
    serve = (_, response) => {
      response.write('begun')
      setImmediate(() => cancel.abort(new Error('cancelled')))
    }
    await expect(download(engine, { signal: cancel.signal, stallTimeoutMs: 60_000 })).rejects.toThrow('cancelled')
    expect(received).toHaveLength(1)
  })
})
