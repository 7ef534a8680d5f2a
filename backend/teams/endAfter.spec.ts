import { expect, it } from 'vitest'
import { createCredits } from '../credits/credits.ts'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import { must } from '../kernel/must.ts'
import { createTeams } from './teams.ts'

const OWNER = '00000000-0000-7000-8000-000000000001'
const TEAM = '00000000-0000-7000-8000-000000000002'

it('takes out of a team who joined after a time, and who is invited', async () => {
  let at = Date.parse('2026-11-01T00:00:00.000Z')
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const credits = createCredits(handle, () => at)
  await credits.grantFreeCredits(OWNER, 60)
  const teams = createTeams({
    ...{ handle, database: undefined as never, calendar: () => at, changes: { waitFor: async () => {} } },
    ...{ teamIdOf: () => TEAM, isErased: async () => false, hasPlan: async () => true },
    ...{ seatsOf: async () => 5, setSpenders: credits.setSpenders, isSuspended: async () => false },
  })
  const invite = async (invitationId: string) => {
    const invitation = { invitationId, perMonth: null, expiresAt: '2026-12-31T00:00:00.000Z', replaces: [] }
    await teams.invite(await teams.readOwn(OWNER, TEAM), invitation, bySystem('invite', invitationId))
  }
  const join = async (userId: string) => {
    await invite(`for ${userId}`)
    await teams.join(TEAM, { userId, invitationId: `for ${userId}` }, bySystem('join', userId))
  }
  await teams.create(OWNER, bySystem('create', TEAM))
  await join('friend')
  at += 60_000
  const since = new Date(at)
  at += 60_000
  await join('intruder')
  await invite('open')

  await teams.endAfter(OWNER, since)
  const { members, invitations } = must(await teams.find(TEAM), 'team')
  expect([members.map(({ id }) => id), invitations]).toEqual([['friend'], []])
  const order = (spentBy: string) =>
    credits
      .hold({ userId: OWNER, taskId: spentBy, amount: 10, openLimit: 2, spentBy }, bySystem('hold', spentBy))
      .send()
  await expect(order('intruder')).rejects.toMatchObject({ code: 'not_in_team' })
  await order('friend')
})
