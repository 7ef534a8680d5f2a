import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import { CREDIT_ACCOUNT } from './events.ts'

let kinora: TestKinora
const users = {} as Record<'edited' | 'editedLast' | 'cut' | 'cutLast' | 'newer' | 'unknown' | 'sound', TestUser>

const streamOf = ({ userId }: TestUser) => `${CREDIT_ACCOUNT}-${userId}`
const start = async (env: Record<string, string> = {}) =>
  startTestKinora({ provider: await createProviderDouble(), env: { LOG_LEVEL: 'silent', ...env } })

/** Changes events in the database, as someone with its password could. */
const change = (user: TestUser, revision: number, set: string) =>
  kinora.context.pool.query(`update event set ${set} where stream = $1 and revision = $2`, [streamOf(user), revision])

async function problem(user: TestUser) {
  const answer = await fetch(`${kinora.api}/videos/generate`, {
    method: 'POST',
    headers: { cookie: user.cookie, 'content-type': 'application/json' },
    body: JSON.stringify(GENERATION),
  })
  const { code } = (await answer.json()) as { code?: string }
  return { status: answer.status, code, retryAfter: answer.headers.get('retry-after') }
}
const eventsOf = async (user: TestUser) =>
  (await kinora.context.pool.query('select from event where stream = $1', [streamOf(user)])).rowCount

beforeAll(async () => {
  kinora = await start()
  const makeVideo = async (name: keyof typeof users) => {
    users[name] = await kinora.newUser()
    const { id } = await generate(users[name])
    await reaches(users[name], id, { status: 'Success' })
  }
  await Promise.all((['edited', 'cut', 'cutLast', 'newer', 'unknown'] as const).map(makeVideo))
  // The start refuses a log without the last event that a read model has seen.
  await makeVideo('sound')
  users.editedLast = await kinora.newUser()
  await eventually(async () => {
    const { rows } = await kinora.context.pool.query('select revision from chain_head where stream = any($1)', [
      [streamOf(users.cutLast), streamOf(users.editedLast)],
    ])
    expect(rows.map(({ revision }) => revision).toSorted()).toEqual([0, 2])
  })
  await change(users.edited, 0, `data = jsonb_set(data, '{amount}', '60000')`)
  await change(users.editedLast, 0, `data = jsonb_set(data, '{amount}', '60000')`)
  const remove = 'delete from event where stream = $1 and revision = $2'
  await kinora.context.pool.query(remove, [streamOf(users.cut), 1])
  await kinora.context.pool.query(remove, [streamOf(users.cutLast), 2])
  await change(users.newer, 2, `meta = jsonb_set(meta, '{schema}', '2')`)
  await change(users.unknown, 2, `type = 'CreditsDonated'`)
  // A newer release has recorded the hashes of its own events.
  const newer = [streamOf(users.newer), streamOf(users.unknown)]
  await kinora.context.pool.query('delete from chain_head where stream = any($1)', [newer])
  await kinora.close({ keep: true })
  kinora = await start({ DATA_DIR: kinora.dataDir })
})
afterAll(() => kinora.close())

const BROKEN = [
  ['a grant edited from 60 to 60,000', 'edited', 'ledger_broken'],
  ['its only event, a grant, edited from 60 to 60,000', 'editedLast', 'ledger_broken'],
  ['a hold cut out of the middle', 'cut', 'ledger_broken'],
  ['its last event removed', 'cutLast', 'ledger_broken'],
  ['an event of a newer schema version', 'newer', 'newer_data'],
  ['an event type of a newer release', 'unknown', 'newer_data'],
] as const

describe('after a restart, a video', () => {
  it.each(BROKEN)('cannot be charged to an account with %s', async (_, name, code) => {
    const before = await eventsOf(users[name])
    expect(await problem(users[name])).toEqual({ status: 503, code, retryAfter: '60' })
    expect(await eventsOf(users[name])).toBe(before)
  })

  it('can be charged to every other account', async () => {
    expect(await problem(users.sound)).toMatchObject({ status: 202 })
  })

  it('raises the metrics of quarantined streams', async () => {
    for (const [, name] of BROKEN) await problem(users[name])
    const metrics = await (await fetch(`${kinora.url}/metrics`)).text()
    expect(metrics).toContain('kinora_quarantined_streams{reason="broken"} 4')
    expect(metrics).toContain('kinora_quarantined_streams{reason="newer"} 2')
  })
})
