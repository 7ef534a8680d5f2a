import { expect, it } from 'vitest'
import { verify } from '../audit/verify.ts'
import { createCredits } from '../credits/credits.ts'
import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { openStore, STORE_NAMES } from '../kernel/eventsourcing/testing/everyStore.ts'
import { createTeams, isIn } from './teams.ts'

const OWNER = derivedId('user', 'owner')
const MEMBERS = Array.from({ length: 50 }, (_, n) => derivedId('user', n))
const CREDITS = 300
const PRICE = 10
/** Credits that a member may spend in the month. */
const limitOf = (member: string) => PRICE * (1 + (MEMBERS.indexOf(member) % 3))

/** Opens a process, which does not know of the commands of others. */
function open(store: EventStore) {
  const handle = createHandle(store)
  const credits = createCredits(handle)
  const teams = createTeams({
    ...{ handle, database: undefined as never, calendar: Date.now, changes: { waitFor: async () => {} } },
    ...{ teamIdOf: (id) => derivedId('team', id), isErased: async () => false, hasPlan: async () => true },
    ...{ seatsOf: async () => 100, setSpenders: credits.setSpenders, isSuspended: async () => false },
  })
  return { credits, teams, handle }
}

const by = (userId: string, ...subject: string[]): CommandContext => ({
  commandId: derivedId(userId, ...subject),
  actor: `user:${userId}`,
  correlationId: 'race',
})
const codeOf = (error: unknown) => (error instanceof Rejection ? error.code : String(error))

async function formTeam({ credits, teams }: ReturnType<typeof open>): Promise<string> {
  await credits.grantAllowance(OWNER, CREDITS)
  await teams.create(OWNER, by(OWNER, 'create'))
  const teamId = teams.idOf(OWNER)
  for (const userId of MEMBERS) {
    const invitation = { invitationId: userId, perMonth: limitOf(userId), expiresAt: '2999-01-01', replaces: [] }
    await teams.invite(await teams.readOwn(OWNER, teamId), invitation, by(OWNER, 'invite', userId))
    await teams.join(teamId, { userId, invitationId: userId }, by(userId, 'join'))
  }
  return teamId
}

it.each(STORE_NAMES)("50 members race for a team's last 300 credits, in %s", { timeout: 600_000 }, async (name) => {
  const store = await openStore(name)
  const processes = [open(store), open(store)] as const
  const teamId = await formTeam(processes[0])
  const spent = new Map<string, number>()
  const order = async (member: string, n: number) => {
    const { credits, teams } = processes[n % 2]!
    const userId = await teams.payerIn(teamId, member)
    const taskId = derivedId('task', member, n)
    const hold = { userId, taskId, amount: PRICE, openLimit: 1_000, spentBy: member }
    await credits.hold(hold, by(member, 'hold', taskId)).send()
    spent.set(member, (spent.get(member) ?? 0) + PRICE)
    return 'held'
  }
  const removed = MEMBERS.filter((_, n) => n % 7 === 0)
  const outcomes = await Promise.all([
    ...MEMBERS.flatMap((member) => [0, 1, 2, 3].map((n) => order(member, n).catch(codeOf))),
    // The owner takes members out, and raises and lowers limits, in the middle of it.
    ...removed.map(async (member) => {
      await processes[1].teams.removeAs(OWNER, teamId, member, by(OWNER, 'remove', member))
    }),
    ...MEMBERS.filter((_, n) => n % 7 === 1).map(async (userId) =>
      processes[0].teams.setLimit(
        await processes[0].teams.readOwn(OWNER, teamId),
        { userId, perMonth: 0 },
        by(OWNER, 'limit', userId),
      ),
    ),
  ])
  const count = (code: string) => outcomes.filter((outcome) => outcome === code).length
  const refused = ['not_in_team', 'member_limit_reached', 'insufficient_credits']
  expect(outcomes.filter((each) => each !== undefined && each !== 'held' && !refused.includes(each))).toEqual([])
  expect(count('held')).toBe(CREDITS / PRICE)
  for (const [member, credits] of spent) expect(credits).toBeLessThanOrEqual(limitOf(member))
  // A removed member holds nothing more, whichever process decides.
  for (const { teams } of processes) {
    await expect(teams.payerIn(teamId, removed[0]!)).rejects.toMatchObject({ code: 'not_in_team' })
    expect(isIn((await teams.find(teamId))!, removed[0]!)).toBe(false)
  }
  const hold = { userId: OWNER, taskId: derivedId('late'), amount: 0, openLimit: 1_000, spentBy: removed[0]! }
  await expect(processes[0].credits.hold(hold, by(OWNER, 'late')).send()).rejects.toMatchObject({
    code: 'not_in_team',
  })
  const { deviations, books, ok } = await verify(store)
  expect([deviations, ok]).toEqual([[], true])
  expect(books.get(`creditAccount-${OWNER}`)!.sums()).toEqual({ left: 0, held: CREDITS })
})
