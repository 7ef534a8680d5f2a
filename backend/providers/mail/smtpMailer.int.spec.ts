import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSmtpMailer } from './smtpMailer.ts'
import { createTestMailServer } from './testing/testMailServer.ts'

const mails = createTestMailServer()
beforeAll(() => mails.start())
afterAll(() => mails.stop())

const MAIL = {
  id: 'one',
  userId: 'ada',
  to: 'ada@kinora.test',
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello',
}
const mailerOf = (url: string) => createSmtpMailer(url, 'Kinora <hello@kinora.test>')
const send = async (url: string) => {
  const mailer = mailerOf(url)
  try {
    return await mailer.send(MAIL)
  } finally {
    await mailer.close()
  }
}
/** Reaches the same server, but is not a loopback address. */
const remote = () => mails.url.replace('127.0.0.1', '0.0.0.0')

it('sends no mail to another machine without TLS', async () => {
  await expect(send(remote())).rejects.toThrow(/STARTTLS/)
  expect(mails.taken).toEqual([])
})
it('sends without TLS on this machine, and elsewhere if the address says so', async () => {
  expect([await send(mails.url), await send(`${remote()}?ignoreTLS=true`)]).toEqual(['sent', 'sent'])
})
it('sends attachments', async () => {
  const mailer = mailerOf(mails.url)
  const content = Buffer.from('%PDF-1.3 of an invoice').toString('base64')
  await mailer.send({ ...MAIL, attachments: [{ filename: 'K-000001.pdf', contentType: 'application/pdf', content }] })
  await mailer.close()
  expect(mails.taken.at(-1)).toMatch(new RegExp(`Content-Type: application/pdf; name=K-000001\\.pdf.*${content}`, 's'))
})
it('fails while the server is away, and sends again when it is back', async () => {
  const mailer = mailerOf(mails.url)
  expect(await mailer.send(MAIL)).toBe('sent')
  await mails.stop()
  for (let attempt = 0; attempt < 3; attempt++) await expect(mailer.send(MAIL)).rejects.toThrow()
  await mails.start()
  expect(await mailer.send(MAIL)).toBe('sent')
  await mailer.close()
})
