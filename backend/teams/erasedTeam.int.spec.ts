import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { verify } from '../audit/verify.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { read } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { Team } from './contract.ts'

const PROMPT = 'A vermilion zeppelin over the salt flats'
type Task = { id: string; status: string; prompt: string; by: { name: string } | null }

// Without plans, everyone has a team.
let kinora: TestKinora
beforeAll(async () => {
  const provider = await createProviderDouble()
  provider.answer = () => ({ kind: 'finished' })
  kinora = await startTestKinora({ provider, env: { PAYMENTS: 'off', MONTHLY_CREDITS: '300' } })
})
afterAll(() => kinora.close())

async function form() {
  const [owner, member] = [await kinora.newUser(), await kinora.newUser()]
  const { team } = (await (await owner.call('POST', '/teams', { name: 'Studio' })).json()) as { team: Team }
  expect((await owner.call('POST', `/teams/${team.id}/invitations`, { email: member.email })).status).toBe(201)
  const token = /#token=([\w-]+)/.exec((await kinora.mails(member.email))[0]!.text)![1]
  expect((await member.call('POST', '/teams/invitations/accept', { token })).status).toBe(200)
  return { owner, member, team }
}

async function film(user: TestUser, more: object = {}): Promise<string> {
  const answer = await user.call('POST', '/videos/generate', { ...GENERATION, prompt: PROMPT, ...more })
  const { task } = (await answer.json()) as { task: Task }
  await eventually(async () =>
    expect(await read<Task>(user, `/videos/tasks/${task.id}`)).toMatchObject({ status: 'Success' }),
  )
  return task.id
}

async function erase({ userId, ...user }: TestUser): Promise<void> {
  expect((await user.call('POST', '/users/delete', { password: 'correct horse' })).status).toBe(200)
  const left = () => kinora.context.pool.query('select from user_key where user_id = $1', [userId])
  await eventually(async () => expect((await left()).rowCount).toBe(0))
}

const membersOf = async (owner: TestUser) => (await read<{ teams: Team[] }>(owner, '/teams')).teams[0]?.members.length

describe('the erasure of a member', () => {
  it('leaves the team the films that it paid for, with their texts, and takes the own ones along', async () => {
    const { owner, member, team } = await form()
    const [paid, own] = [await film(member, { team_id: team.id }), await film(member)]
    await erase(member)
    await eventually(async () => expect(await membersOf(owner)).toBe(1))
    await eventually(async () => {
      const { tasks } = await read<{ tasks: Task[] }>(owner, '/videos/my-works')
      expect(tasks).toMatchObject([{ id: paid, prompt: PROMPT, by: { name: '' } }])
    })
    expect((await owner.call('GET', `/videos/preview/${paid}`)).status).toBe(200)
    await eventually(async () => expect((await owner.call('GET', `/videos/tasks/${own}`)).status).toBe(404))
  })
})

describe('the erasure of an owner', () => {
  it('closes the team, and takes its films and texts along, whoever made them', async () => {
    const { owner, member, team } = await form()
    const [paid, own] = [await film(member, { team_id: team.id }), await film(member)]
    const sealed = await kinora.context.pool.query(
      `select data->>'encryptedPrompt' as text from event where stream = 'videoTask-${paid}' and revision = 0`,
    )
    await erase(owner)
    await eventually(async () => expect(await read(member, '/teams')).toMatchObject({ teams: [] }))
    const refused = await member.call('POST', '/videos/generate', { ...GENERATION, team_id: team.id })
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'not_in_team'])
    await eventually(async () => expect((await member.call('GET', `/videos/preview/${paid}`)).status).toBe(404))
    expect((await member.call('GET', `/videos/preview/${own}`)).status).toBe(200)
    const about = { purpose: 'prompt', userId: team.id, row: paid }
    expect(await kinora.services.userKeys.tryDecrypt(about, sealed.rows[0].text)).toBeUndefined()
    const rows = await kinora.context.pool.query('select from team where id = $1', [team.id])
    expect(rows.rowCount).toBe(0)
    await expect(kinora.services.userKeys.encrypt({ ...about, owner: owner.userId }, 'again')).rejects.toThrow(
      'deleted',
    )
  })
})

it('an API key of a team orders for it, and no other key does', async () => {
  const { owner, member, team } = await form()
  const make = async (more: object) => {
    const order = { name: 'Script', scopes: ['videos:write', 'videos:read'], credits_per_month: 60, ...more }
    return (await member.call('POST', '/keys', { ...order, password: 'correct horse' })).json() as Promise<{
      key: string
    }>
  }
  const [ofTeam, ofMember] = [await make({ team_id: team.id }), await make({})]
  const order = (key: string, more: object = {}) =>
    fetch(`${kinora.api}/videos/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...GENERATION, ...more }),
    })
  const before = (await read<{ teams: Team[] }>(member, '/teams')).teams[0]!
  expect((await order(ofTeam.key)).status).toBe(202)
  expect((await order(ofTeam.key)).status).toBe(202)
  const third = await order(ofTeam.key)
  expect([third.status, ((await third.json()) as { code: string }).code]).toEqual([402, 'key_limit_reached'])
  const other = await order(ofMember.key, { team_id: team.id })
  expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([403, 'key_team'])
  await eventually(async () => {
    const [after] = (await read<{ teams: Team[] }>(member, '/teams')).teams
    expect([after!.credits_remaining, after!.used]).toEqual([before.credits_remaining - 60, 60])
  })
  const { keys } = await read<{ keys: { team: object | null; spent_this_month: number }[] }>(member, '/keys')
  expect(keys).toMatchObject([
    { team: null, spent_this_month: 0 },
    { team: { id: team.id, name: 'Studio' }, spent_this_month: 60 },
  ])
  await owner.call('DELETE', `/teams/${team.id}`)
  const closed = await order(ofTeam.key)
  expect([closed.status, ((await closed.json()) as { code: string }).code]).toEqual([403, 'not_in_team'])
})

it('leaves a ledger that passes an audit', async () => {
  const { deviations } = await verify(kinora.context.store)
  expect(deviations).toEqual([])
})
