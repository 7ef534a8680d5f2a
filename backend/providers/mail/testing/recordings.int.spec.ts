import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestAuthority } from '../../../kernel/eventsourcing/testing/testCertificates.ts'
import { type Dialogue, REFUSED_TEXT, recordDialogue, SIZE_LIMIT } from './recordedDialogue.ts'
import { createTestMailServer } from './testMailServer.ts'

const authority = createTestAuthority()
const mails = createTestMailServer({ tls: authority.issue(), size: SIZE_LIMIT, refusedText: REFUSED_TEXT })
const RECIPIENTS: Readonly<Record<string, number>> = { 'grey@kinora.test': 451, 'unknown@kinora.test': 550 }
const record = () => recordDialogue(Number(new URL(mails.url).port))
// `npm run test:real -- aiosmtpd --record` makes the recording, and `npm run test:real` compares it with the real server.
const { answers } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'recordings/aiosmtpd.json'), 'utf8')) as {
  answers: Dialogue
}

beforeAll(() => mails.start())
afterAll(async () => {
  await mails.stop()
  authority.remove()
})

it('the double of a mail server answers as the recorded server did', async () => {
  mails.answer = (recipient) => RECIPIENTS[recipient]
  expect(await record()).toEqual(answers)
})

it('a double that answers differently is noticed', async () => {
  mails.answer = (recipient) => (recipient.startsWith('grey') ? 550 : RECIPIENTS[recipient])
  const changed = await record()
  expect(changed).not.toEqual(answers)
  expect({ ...changed, 'RCPT, greylisted': answers['RCPT, greylisted'] }).toEqual(answers)
})
