import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DescribedOperation, describedOperations } from '#proof/attack/describedOperations.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { createOperatorAlerts } from './alerts/operatorAlerts.ts'
import { TABLES } from './contract.ts'
import { createOperatorActions } from './operatorActions.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const MAIL = 'maria.silva@mail.example.org'
const NETWORKS = ['203.0.113.57', '2001:db8:85a3:7:8a2e::9']
/** Id of the only case, and of nothing else. */
const ID = '0190a000-0000-7000-8000-000000000000'
const SECRETS = [MAIL, ...NETWORKS]
/** Operations whose answers have addresses, and those whose files have. */
const PERSONAL = [
  'GET /analytics/actions',
  'GET /analytics/keys',
  'GET /analytics/now',
  'GET /analytics/outbox',
  'GET /analytics/overview',
  'GET /analytics/security',
  'GET /analytics/tables/actions.csv',
  'GET /analytics/tables/users.csv',
  'GET /analytics/tables/visits.csv',
  'GET /analytics/tasks',
  'GET /analytics/users/list',
]

let kinora: TestKinora
let cookie = ''
beforeAll(async () => {
  const env = {
    OPERATOR_USERNAME: OPERATOR.username,
    OPERATOR_PASSWORD: OPERATOR.password,
    TRUSTED_PROXIES: '1',
    HOST: '127.0.0.1',
  }
  kinora = await startTestKinora({ provider: await createProviderDouble(), env })
  await plantAddresses()
  const answer = await kinora.post('/analytics/login', OPERATOR)
  cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => kinora?.close())
let userId = ''

/** Puts the addresses of a user into everything that the board shows. */
async function plantAddresses() {
  const { pool } = kinora.context
  userId = (await kinora.newUser(MAIL)).userId
  const key = { name: 'Script', scopes: ['videos:read' as const], networks: [...NETWORKS], expires_in_days: null }
  await kinora.services.apiKeys.create(userId, key)
  for (const ip of NETWORKS) {
    const from = { 'x-forwarded-for': ip }
    await kinora.post('/analytics/page-view', { path: '/faq', session_id: ip }, from)
    await kinora.post('/auth/login', { email: MAIL, password: 'not the password' }, from)
    await createOperatorActions(pool).record({
      action: 'credits_adjusted',
      detail: `60 to ${MAIL}`,
      ctx: { ip, state: {} },
    })
  }
  await pool.query(`update outbox set state = 'failed', answer = $2 where user_id = $1`, [userId, `550 no ${MAIL}`])
  await pool.query(
    `insert into desk_case (id, kind, subject, user_id, detail, opened_at) values ($1, 'report', $2, $3, 'other', now())`,
    [ID, userId, userId],
  )
  await kinora.visitsCounted()
  const alerts = createOperatorAlerts(pool, { error: () => {}, info: () => {} })
  await alerts.raise('urgent', `connect ${NETWORKS[0]}:443 for ${MAIL}`)
}

/** Returns every operation of the operator that the API declares, with each file by its name. */
async function operations(): Promise<DescribedOperation[]> {
  const all = (await describedOperations(kinora.api)).filter(({ access }) => access === 'operator')
  return all.flatMap((operation) =>
    operation.path.includes('{table}')
      ? TABLES.map((table) => ({ ...operation, path: operation.path.replace('{table}', `${table}.csv`) }))
      : [
          {
            ...operation,
            path: operation.path.replace('/people/{id}', `/people/${userId}`).replace(/\{(?:passkey|id)\}/, ID),
          },
        ],
  )
}

const query = (sql: string) => kinora.context.pool.query(sql)
const send = async ({ method, path, parameters }: DescribedOperation) => {
  const has = (wanted: string) => parameters.some(({ name }) => name === wanted)
  const whole = has('per_page')
    ? '?per_page=100'
    : has('q')
      ? `?q=${MAIL}`
      : has('at')
        ? `?at=${new Date().toISOString()}`
        : ''
  const answer = await fetch(kinora.api + path + whole, { method, headers: { cookie } })
  return { name: `${method} ${path}`, status: answer.status, text: await answer.text() }
}
const get = async (path: string) => (await fetch(`${kinora.api}/analytics${path}`, { headers: { cookie } })).json()
/** Sends operations one after the other, since only four files are exported at the same time. */
async function sendAll(all: readonly DescribedOperation[]) {
  const answers = []
  for (const operation of all) answers.push(await send(operation))
  return answers
}
const namesOf = (answers: readonly { name: string }[]) => answers.map(({ name }) => name).sort()
const isRevealing = ({ text }: { text: string }) => SECRETS.some((secret) => text.includes(secret))

/** Returns the names of the reads whose answers contain an address of the user. */
async function revealing(): Promise<string[]> {
  const reads = (await operations()).filter(({ method }) => method === 'GET')
  return namesOf((await sendAll(reads)).filter(isRevealing))
}

// The session proves its second factor on the way.
describe('the addresses on the board', { shuffle: false }, () => {
  it('are shown to an operator without a second factor', async () => {
    expect(await revealing()).toEqual(PERSONAL)
    expect(await get('/users/list')).not.toHaveProperty('masked')
  })

  it('are in no answer of any operation until the session proves its second factor', async () => {
    const begun = await kinora.post('/analytics/totp', { password: OPERATOR.password }, { cookie })
    const { secret } = (await begun.json()) as { secret: string }
    const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
    expect((await kinora.post('/analytics/totp/confirm', { code }, { cookie })).status).toBe(200)
    expect(await revealing()).toEqual(PERSONAL)
    await query(`update operator_session set stepped_up_at = now() - interval '11 minutes'`)
    const all = await operations()
    expect(all.filter(({ path }) => path.includes('{'))).toEqual([])
    const answers = await sendAll(all)
    expect(namesOf(answers.filter(isRevealing))).toEqual([])
    const tests = namesOf(
      all
        .filter(({ method, path }) => method === 'GET' && /\/(graphs|engines)\/test\//.test(path))
        .map(({ method, path }) => ({ name: `${method} ${path}` })),
    )
    expect(namesOf(answers.filter(({ name, status }) => name.startsWith('GET') && status !== 200))).toEqual([
      // No engine is connected.
      ...tests,
      'GET /analytics/step-up',
      'GET /analytics/tables/actions.csv',
      'GET /analytics/tables/sales.csv',
      'GET /analytics/tables/users.csv',
      'GET /analytics/tables/visits.csv',
      'GET /desk/cases/0190a000-0000-7000-8000-000000000000/dossier.pdf',
      // There is no such video.
      'GET /desk/videos/0190a000-0000-7000-8000-000000000000/poster',
    ])
  })

  it('keep their shape: a letter of each part, and the network', async () => {
    const list = await get('/users/list')
    expect([list.masked, list.users[0].email]).toEqual([true, 'm•••@m•••.org'])
    expect(list.users[0].id).toMatch(/^[\da-f-]{36}$/)
    const { data, masked } = await get('/overview')
    expect([masked, data.recent_visits[0].ip, data.recent_visits[1].ip]).toEqual([
      true,
      '2001:db8:85a3::/48',
      '203.0.113.0/24',
    ])
    expect(await get('/weekly')).not.toHaveProperty('masked')
  })
})
