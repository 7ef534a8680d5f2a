import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { createImageUploads } from './imageUploads.ts'
import { createUploadLimits } from './uploadLimits.ts'

it('an upload whose client left during its checks ends, and frees its place', async () => {
  const left = new AbortController()
  const checked = Promise.withResolvers<void>()
  const noRows = { em: { fork: () => ({ execute: async () => [] }) } } as never
  const limits = createUploadLimits(noRows, () => checked.promise)
  const uploads = createImageUploads(noRows, {} as never, '')
  let outcome: unknown
  const app = new Koa()
  app.use(async (ctx) => {
    const accepted = uploads.accept(ctx as never, 'ada', limits).catch((error) => error)
    left.abort()
    await once(ctx.res, 'close')
    checked.resolve()
    outcome = await accepted
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const body = new FormData()
  body.append('file', new Blob([Buffer.alloc(100_000)]), 'a.png')
  const { port } = server.address() as AddressInfo
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, signal: left.signal }).catch(() => {})
  await expect.poll(() => outcome).toMatchObject({ code: 'unavailable' })
  expect(await limits.run('ada', async () => 'next')).toBe('next')
  server.close()
})
