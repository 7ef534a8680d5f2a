import { expect, it } from 'vitest'
import type { Claimed } from '../../kernel/outbox/outbox.ts'
import { type Mailer, MailUnsent } from '../mailer.port.ts'
import { createMailChannel } from './mailChannel.ts'

const channel = (send: Mailer['send'], isExpired = false) =>
  createMailChannel({
    mails: { open: () => (isExpired ? undefined : ({} as never)) },
    mailer: { send },
    onError: () => {},
  })
const message = {} as Claimed

it('is asked again within half a minute, however long the mail server is away', () => {
  const { wait } = channel(async () => 'sent')
  expect([1, 2, 3, 6, 2_000].map((attempts) => wait(attempts))).toEqual([1_000, 2_000, 4_000, 30_000, 30_000])
})

it('lets the other mails wait while the server is away, and not because it refuses one for now', async () => {
  const answer = (status?: number) => async () => {
    throw new MailUnsent('later', status, undefined)
  }
  expect(await channel(answer()).send(message)).toMatchObject({ outcome: 'failed', pausesTarget: true })
  expect(await channel(answer(451)).send(message)).toEqual({ outcome: 'failed', status: 451, answer: 'later' })
})

it('ends with a mail that the server rejects, and with one that has expired, which is not sent', async () => {
  const refused = async () => ({ kind: 'refused', answer: '550 no such user' }) as const
  expect(await channel(refused).send(message)).toEqual({ outcome: 'refused', answer: '550 no such user' })
  const never = async () => expect.unreachable()
  expect(await channel(never, true).send(message)).toEqual({ outcome: 'refused', fault: 'expired' })
})
