import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '#backend/testing/eventually.ts'
import { verify } from '../audit/verify.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import type { RealtimeMessage } from '../tasks/contract.ts'
import { buyPlan, postDev, read, readStats } from '../testing/plans.ts'
import { sampled } from '../testing/sampled.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { Team } from './contract.ts'

type Task = { id: string; status: string; prompt: string; visibility: string; by: { name: string } | null }
type Page = { tasks: Task[]; total: number }

const json = async <T>(answer: Response) => (await answer.json()) as T
const outcome = async (answer: Promise<Response>) => {
  const received = await answer
  return [received.status, received.status < 300 ? undefined : (await json<{ code: string }>(received)).code]
}

describe.each(sampled(['Postgres', 'a double of EventStoreDB']))('a team, with the events in %s', (name) => {
  let kinora: TestKinora
  let provider: ProviderDouble
  let server: EventStoreDbTestServer | undefined
  let owner: TestUser
  let member: TestUser
  let stranger: TestUser
  let team: Team

  const teamsOf = async (user: TestUser) => (await read<{ teams: Team[] }>(user, '/teams')).teams
  const generate = (user: TestUser, more: object = {}) =>
    user.call('POST', '/videos/generate', { ...GENERATION, ...more })
  const order = async (user: TestUser, more: object = {}) =>
    (await json<{ task: Task }>(await generate(user, { team_id: team.id, ...more }))).task.id
  const statusOf = async (user: TestUser, id: string) => (await read<Task>(user, `/videos/tasks/${id}`)).status
  const ends = (user: TestUser, id: string, status = 'Success') =>
    eventually(async () => expect(await statusOf(user, id)).toBe(status))
  const balance = async (user: TestUser) => (await readStats(user)).remaining_credits
  const tokenOf = async (email: string) => /#token=([\w-]+)/.exec((await kinora.mails(email))[0]!.text)![1]!
  const isTold = (user: TestUser, subject: string) =>
    eventually(async () => expect((await kinora.mails(user.email)).map((mail) => mail.subject)).toContain(subject))
  const invite = (email: string, credits_per_month: number | null = null) =>
    owner.call('POST', `/teams/${team.id}/invitations`, { email, credits_per_month })
  const join = async (user: TestUser, credits_per_month: number | null = null) => {
    expect((await invite(user.email, credits_per_month)).status).toBe(201)
    const answer = await user.call('POST', '/teams/invitations/accept', { token: await tokenOf(user.email) })
    expect(answer.status).toBe(200)
  }
  const hear = async (user: TestUser) => {
    const heard: RealtimeMessage[] = []
    const socket = new WebSocket(await user.socketAddress())
    socket.on('message', (data) => void heard.push(JSON.parse(String(data)) as RealtimeMessage))
    await once(socket, 'open')
    return { heard, socket }
  }
  const works = (user: TestUser, library = 'mine') =>
    read<Page>(user, `/videos/my-works?library=${library}&per_page=50`)
  const idsOf = async (user: TestUser, library?: string) => (await works(user, library)).tasks.map(({ id }) => id)

  beforeAll(async () => {
    provider = await createProviderDouble()
    provider.answer = () => ({ kind: 'finished' })
    server = name === 'Postgres' ? undefined : await new EventStoreDbTestServer().start()
    kinora = await startTestKinora({
      provider,
      ...(server && { env: { EVENTSTORE_URL: `esdb://app:secret@127.0.0.1:${server.port}?tls=false` } }),
    })
    ;[owner, member, stranger] = [await kinora.newUser(), await kinora.newUser(), await kinora.newUser()]
  })
  afterAll(async () => {
    await kinora.close()
    await server?.kill()
  })

  // Each test goes on where the one before has ended.
  describe('in order', { shuffle: false }, () => {
    it('needs a plan with seats, and is the only one of its owner', async () => {
      expect(await outcome(owner.call('POST', '/teams', { name: 'Studio' }))).toEqual([403, 'plan_required'])
      await buyPlan(kinora, owner, 'ultimate')
      await eventually(async () => expect(await read(owner, '/teams')).toEqual({ teams: [], can_create: true }))
      const made = await owner.call('POST', '/teams', { name: 'Studio' })
      expect(made.status).toBe(201)
      team = (await json<{ team: Team }>(made)).team
      expect(team).toMatchObject({ name: 'Studio', role: 'owner', seats: 5, seats_used: 1, used: 0, limit: null })
      expect(await outcome(owner.call('POST', '/teams', { name: 'Other' }))).toEqual([409, 'team_exists'])
      expect(await read(owner, '/teams')).toMatchObject({ teams: [{ name: 'Studio' }], can_create: false })
    })

    it('is joined by mail, with an account, once', async () => {
      expect((await invite(member.email, 100)).status).toBe(201)
      const token = await tokenOf(member.email)
      const preview = await kinora.post('/teams/invitations/preview', { token })
      expect(await preview.json()).toEqual({
        ...{ team: 'Studio', owner: 'Test User', email: member.email, credits_per_month: 100 },
        ...{ has_account: true, signed_in: false },
      })
      // The holder of the link still has to sign in to the account of the address.
      expect(await outcome(kinora.post('/teams/invitations/accept', { token }))).toEqual([401, 'unauthenticated'])
      expect(await outcome(member.call('POST', '/teams/invitations/accept', { token }))).toEqual([200, undefined])
      expect(await outcome(member.call('POST', '/teams/invitations/accept', { token }))).toEqual([422, 'token_invalid'])
      expect(await outcome(invite(member.email))).toEqual([409, 'already_member'])
      const [seen] = await teamsOf(member)
      expect(seen).toMatchObject({ role: 'member', used: 0, limit: 100, seats_used: 2, invitations: [] })
      expect(seen!.credits_remaining).toBe(await balance(owner))
      expect(seen!.members.map(({ role, email }) => [role, email])).toEqual([
        ['owner', null],
        ['member', member.email],
      ])
    })

    it('is joined without an account, which the mailed link makes', async () => {
      const email = `new.${name.length}@kinora.test`
      expect((await invite(email)).status).toBe(201)
      const answer = await kinora.post('/teams/invitations/accept', { token: await tokenOf(email) })
      expect(answer.status).toBe(200)
      const cookie = answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
      const { teams } = await json<{ teams: Team[] }>(await fetch(`${kinora.api}/teams`, { headers: { cookie } }))
      expect(teams).toMatchObject([{ id: team.id, role: 'member', limit: null }])
      const [{ members } = { members: [] }] = await teamsOf(owner)
      const added = members.find((each) => each.email === email)!
      expect((await owner.call('DELETE', `/teams/${team.id}/members/${added.id}`)).status).toBe(204)
    })

    it('has as many seats as the plan, which open invitations take, too', async () => {
      const statuses = []
      for (let n = 0; n < 4; n++) statuses.push((await outcome(invite(`seat${n}@kinora.test`)))[1])
      expect(statuses).toEqual([undefined, undefined, undefined, 'seats_full'])
      // A second invitation of an address replaces the first.
      const before = await tokenOf('seat0@kinora.test')
      expect((await invite('seat0@kinora.test')).status).toBe(201)
      expect(await outcome(stranger.call('POST', '/teams/invitations/accept', { token: before }))).toEqual([
        422,
        'token_invalid',
      ])
      const [{ invitations } = { invitations: [] }] = await teamsOf(owner)
      expect(invitations).toHaveLength(3)
      for (const { id } of invitations)
        expect((await owner.call('DELETE', `/teams/${team.id}/invitations/${id}`)).status).toBe(204)
      const withdrawn = { token: await tokenOf('seat1@kinora.test') }
      expect(await outcome(stranger.call('POST', '/teams/invitations/accept', withdrawn))).toEqual([
        422,
        'token_invalid',
      ])
    })

    it('pays for the films of its members within their limits', async () => {
      const [ofOwner, ofMember] = [await balance(owner), await balance(member)]
      const ids = [await order(member), await order(member), await order(member)]
      expect(await outcome(generate(member, { team_id: team.id }))).toEqual([402, 'member_limit_reached'])
      for (const id of ids) await ends(member, id)
      expect([await balance(owner), await balance(member)]).toEqual([ofOwner - 90, ofMember])
      expect((await teamsOf(member))[0]).toMatchObject({ used: 90, limit: 100 })
      expect((await teamsOf(owner))[0]!.members).toMatchObject([{ used: 0 }, { used: 90, limit: 100 }])
      // The own credits are another account.
      await ends(member, (await json<{ task: Task }>(await generate(member))).task.id)
      expect(await balance(member)).toBe(ofMember - 30)
      const path = `/teams/${team.id}/members/${member.userId}`
      expect((await owner.call('PUT', path, { credits_per_month: 120 })).status).toBe(204)
      await ends(member, await order(member))
      expect(await outcome(generate(member, { team_id: team.id }))).toEqual([402, 'member_limit_reached'])
    })

    it('refuses strangers, and what only its owner may do', async () => {
      const path = `/teams/${team.id}/members/${member.userId}`
      expect(await outcome(generate(stranger, { team_id: team.id }))).toEqual([403, 'not_in_team'])
      expect(await outcome(stranger.call('PUT', path, { credits_per_month: null }))).toEqual([404, 'not_found'])
      expect(await outcome(member.call('PUT', path, { credits_per_month: null }))).toEqual([403, 'forbidden'])
      expect(await outcome(member.call('DELETE', `/teams/${team.id}`))).toEqual([403, 'forbidden'])
      expect(await outcome(member.call('DELETE', `/teams/${team.id}/members/${owner.userId}`))).toEqual([
        403,
        'forbidden',
      ])
      expect(await outcome(stranger.call('GET', `/credits/history?team_id=${team.id}`))).toEqual([403, 'not_in_team'])
      expect(await outcome(stranger.call('DELETE', path))).toEqual([404, 'not_found'])
    })

    it('shows its history with who spent, and a member the own part of it', async () => {
      type History = { entries: { kind: string; by?: { name: string }; balance_after: number }[]; total: number }
      const all = await read<History>(owner, '/credits/history?per_page=50')
      expect(all.entries.filter(({ by }) => by !== undefined)).toHaveLength(4)
      const own = await read<History>(member, `/credits/history?team_id=${team.id}`)
      expect(own.total).toBe(4)
      expect(own.entries.map(({ kind, by }) => [kind, by?.name])).toEqual(Array(4).fill(['spend', 'Test User']))
      expect(own.entries[0]!.balance_after).toBe(await balance(owner))
      const csv = await (await owner.call('GET', '/credits/history.csv')).text()
      expect(csv.split('\r\n')[0]).toMatch(/,by$/)
      expect(csv.match(/,Test User\r\n/g)).toHaveLength(4)
    })

    it('tells its members the balance that others leave, and no one else', async () => {
      const [mine, others, owners] = [await hear(member), await hear(stranger), await hear(owner)]
      await ends(owner, (await json<{ task: Task }>(await generate(owner))).task.id)
      const remaining = await balance(owner)
      await eventually(() => expect(mine.heard).toContainEqual({ type: 'team_credits_update', id: team.id, remaining }))
      await eventually(() =>
        expect(owners.heard).toContainEqual(expect.objectContaining({ type: 'credits_update', remaining })),
      )
      expect(others.heard).toEqual([])
      expect(mine.heard.filter(({ type }) => type !== 'team_credits_update')).toEqual([])
      for (const { socket } of [mine, others, owners]) socket.close()
    })

    it('shares films, and keeps private ones with who made them', async () => {
      const [hidden, shown] = [
        await order(owner, { visibility: 'private', prompt: 'A private heron' }),
        await order(owner, { prompt: 'A heron of the team' }),
      ]
      for (const id of [hidden, shown]) await ends(owner, id)
      const seen = (await works(member, 'team')).tasks
      expect(seen.find(({ id }) => id === shown)).toMatchObject({
        ...{ prompt: 'A heron of the team', visibility: 'team', by: { name: 'Test User' } },
      })
      expect(seen.map(({ id }) => id)).not.toContain(hidden)
      expect((await member.call('GET', `/videos/preview/${shown}`)).status).toBe(200)
      expect((await member.call('GET', `/videos/preview/${hidden}`)).status).toBe(403)
      expect((await stranger.call('GET', `/videos/preview/${shown}`)).status).toBe(403)
      expect((await member.call('DELETE', `/videos/tasks/${shown}`)).status).toBe(403)
      // A film of one's own credits is private, and can be shown to the team.
      const own = (await json<{ task: Task }>(await generate(owner))).task.id
      await ends(owner, own)
      expect(await idsOf(member, 'team')).not.toContain(own)
      const set = (visibility: string) => owner.call('POST', `/videos/tasks/${own}/visibility`, { visibility })
      expect((await set('team')).status).toBe(204)
      await eventually(async () => expect(await idsOf(member, 'team')).toContain(own))
      expect((await set('private')).status).toBe(204)
      await eventually(async () => expect(await idsOf(member, 'team')).not.toContain(own))
      expect(await outcome(stranger.call('POST', `/videos/tasks/${own}/visibility`, { visibility: 'team' }))).toEqual([
        403,
        'forbidden',
      ])
      expect(await idsOf(owner)).not.toEqual(expect.arrayContaining((await idsOf(member)).slice(0, 1)))
    })

    it('finishes the film of a member who is removed, and refuses the next', async () => {
      provider.answer = () => ({ kind: 'rendering', percent: 40 })
      await owner.call('PUT', `/teams/${team.id}/members/${member.userId}`, { credits_per_month: null })
      const running = await order(member)
      await ends(member, running, 'Processing')
      const before = await balance(owner)
      expect((await owner.call('DELETE', `/teams/${team.id}/members/${member.userId}`)).status).toBe(204)
      expect(await outcome(generate(member, { team_id: team.id }))).toEqual([403, 'not_in_team'])
      expect(await teamsOf(member)).toEqual([])
      await isTold(member, 'You are no longer in the team “Studio”')
      provider.answer = () => ({ kind: 'finished' })
      // What the team has paid for is its owner's.
      await ends(owner, running)
      expect(await balance(owner)).toBe(before)
      expect(await idsOf(owner)).toContain(running)
      expect(await idsOf(member)).toHaveLength(1)
      expect((await member.call('GET', `/videos/tasks/${running}`)).status).toBe(403)
      expect((await owner.call('GET', `/videos/preview/${running}`)).status).toBe(200)
      expect((await read<Task>(owner, `/videos/tasks/${running}`)).prompt).toBe(GENERATION.prompt)
    })

    it('closes when the plan ends, and the films stay with who paid', async () => {
      await join(member)
      const paid = await order(member)
      await ends(member, paid)
      await owner.call('POST', '/subscriptions/cancel', { cancel_at_period_end: true })
      await postDev(kinora, 'clock', { advance_ms: 40 * 24 * 3_600_000 })
      await eventually(async () => expect(await teamsOf(owner)).toEqual([]))
      await isTold(member, 'The team “Studio” was closed')
      expect(await outcome(generate(member, { team_id: team.id }))).toEqual([403, 'not_in_team'])
      expect(await idsOf(owner)).toContain(paid)
      expect(await idsOf(member)).not.toContain(paid)
    })

    it('leaves a ledger that passes an audit', async () => {
      const { deviations } = await verify(kinora.context.store)
      expect(deviations).toEqual([])
    })
  })
})
