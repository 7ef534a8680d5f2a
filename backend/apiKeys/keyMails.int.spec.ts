import { expect, it, onTestFinished } from 'vitest'
import { createKeyMails } from '../accounts/mails/keyMails.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestKinora } from '../testing/testKinora.ts'

const DAY_MS = 24 * 3_600_000

it('a mail tells of the end of a key seven days before, once, and only if nothing replaces the key', async () => {
  let ahead = 0
  const kinora = await startTestKinora({ provider: await createProviderDouble(), now: () => Date.now() + ahead })
  onTestFinished(() => kinora.close())
  const { apiKeys, outbox } = kinora.services
  const { userId, email } = await kinora.newUser()
  const make = (name: string, expires_in_days: number | null) =>
    apiKeys.create(userId, { name, scopes: ['videos:read'], expires_in_days })
  const mails = createKeyMails(kinora.context.database, outbox, () => kinora.url)
  /** Returns whom mails are about by a day, after what the daily sweep does. */
  const toldBy = async (days: number) => {
    ahead = days * DAY_MS
    await mails.remind(await apiKeys.expiring())
    // It follows the reminders in the queue.
    const last = await make(`Last of day ${days}`, null)
    await mails.revoked(userId, { ...last, client_id: null })
    return eventually(async () => {
      const texts = (await kinora.mails(email)).map(({ text }) => text)
      expect(texts.some((text) => text.includes(last.name))).toBe(true)
      return texts.flatMap((text) => /API key “(.+)” \(….{4}\) stops working/.exec(text)?.[1] ?? []).sort()
    })
  }

  await make('Left alone', 30)
  await make('Forever', null)
  await make('Short', 7)
  const revoked = await make('Revoked', 30)
  const rotated = await make('Rotated', 30)
  await apiKeys.end(userId, revoked.id)
  expect(await toldBy(22)).toEqual([])
  expect(await toldBy(23.5)).toEqual(['Left alone', 'Rotated'])
  expect(await toldBy(24)).toEqual(['Left alone', 'Rotated'])
  await apiKeys.rotate(userId, rotated.id, 24)
  expect(await toldBy(25)).toHaveLength(2)
  // The successor lives as long again.
  expect(await toldBy(46)).toHaveLength(2)
  expect(await toldBy(48)).toEqual(['Left alone', 'Rotated', 'Rotated'])
})

it('a key that was rotated before the week begins is not mailed about', async () => {
  let ahead = 0
  const kinora = await startTestKinora({ provider: await createProviderDouble(), now: () => Date.now() + ahead })
  onTestFinished(() => kinora.close())
  const { apiKeys } = kinora.services
  const { userId } = await kinora.newUser()
  const { id } = await apiKeys.create(userId, { name: 'Script', scopes: ['videos:read'], expires_in_days: 30 })
  ahead = 20 * DAY_MS
  const successor = await apiKeys.rotate(userId, id, 168)
  ahead = 24 * DAY_MS
  expect(await apiKeys.expiring()).toEqual([])
  ahead = 45 * DAY_MS
  expect(await apiKeys.expiring()).toMatchObject([{ id: successor.id }])
})
