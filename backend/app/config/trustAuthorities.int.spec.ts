import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestAuthority } from '../../kernel/eventsourcing/testing/testCertificates.ts'
import { replaceFetchDispatcher } from '../../kernel/http/outgoing/globalFetch.ts'
import { createSmtpMailer } from '../../providers/mail/smtpMailer.ts'
import { createTestMailServer } from '../../providers/mail/testing/testMailServer.ts'
import { createS3MediaStore } from '../../providers/storage/s3MediaStore.ts'
import { httpCall } from '../../providers/video/httpCall.ts'
import { withFiles } from './settingFiles.ts'

// The database is tried in backend/programs/tlsOnlyDatabase.int.spec.ts, and real servers by `npm run test:real`.
const authority = createTestAuthority()
const tls = authority.issue()
const web = createServer(tls, (_, response) => response.setHeader('content-length', '7').end('1234567'))
const mails = createTestMailServer({ tls })
const usual = getCACertificates('default')
let url: string
beforeAll(async () => {
  replaceFetchDispatcher()
  await once(web.listen(0, '127.0.0.1'), 'listening')
  await mails.start()
  url = `https://localhost:${(web.address() as AddressInfo).port}`
})
afterAll(async () => {
  setDefaultCACertificates(usual)
  web.close()
  web.closeAllConnections()
  await mails.stop()
  authority.remove()
})

const LIMITS = { connectTimeoutMs: 120_000, timeoutMs: 120_000, signal: new AbortController().signal }
const CALLS = {
  async engine() {
    return (await httpCall(new URL(url), { method: 'GET', headers: {}, ...LIMITS })).body
  },
  async bucket() {
    const access = { endpoint: url, bucket: 'films', region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b' }
    return createS3MediaStore(access, '/tmp').size('videos/a.mp4')
  },
  async mail() {
    const mailer = createSmtpMailer(mails.url.replace('127.0.0.1', 'localhost'), 'Kinora <hello@kinora.test>')
    const mail = { id: 'a', userId: null, to: 'ada@kinora.test', subject: 'a', text: 'a', html: 'a' }
    return mailer.send(mail).finally(() => mailer.close())
  },
}

describe.each(Object.entries(CALLS))('a private authority of %s', (_, call) => {
  it('is trusted with CA_FILE, and not without it', async () => {
    setDefaultCACertificates(usual)
    await expect(call()).rejects.toThrow()
    withFiles({ CA_FILE: authority.ca })
    expect(['1234567', 7, 'sent']).toContain(await call())
  })
})
