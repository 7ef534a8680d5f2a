import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasskeyDouble, credentialOf } from '../operators/testing/passkeyDouble.ts'
import { runAudit } from '../programs/audit.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { DeskAction } from './contract.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const PASSWORD = 'seventeen wet geese'
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-signed-'))

let db: TemporaryDatabase
let kinora: TestKinora
let olga = ''
let key: ReturnType<typeof createPasskeyDouble>
beforeAll(async () => {
  db = await startTemporaryDatabase()
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password, DATABASE_URL: db.url }
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    env: { ...env, DATA_DIR, DESK_SECOND_OPERATOR_ABOVE: '500' },
  })
  olga = cookieOf(await kinora.post('/analytics/login', OPERATOR))
  key = createPasskeyDouble('olga-key', kinora.url)
})
afterAll(async () => {
  await kinora?.close({ keep: true })
  await db?.close()
  rmSync(DATA_DIR, { recursive: true, force: true })
})

const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]!.split(';')[0]!
interface Answer {
  readonly status: number
  readonly code?: string
  readonly id: string
  readonly amount?: number
  readonly text: string
  readonly action: DeskAction
  readonly secret: string
  readonly total: number
}
async function call(cookie: string, method: string, route: string, body?: object): Promise<Answer> {
  const headers = { cookie, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(kinora.api + route, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { ...JSON.parse((await answer.text()) || '{}'), status: answer.status }
}
const order = (cookie: string, body: object) => call(cookie, 'POST', '/desk/actions', { reason: 'a remedy', ...body })
const outcome = ({ status, code }: Answer) => [status, code]
const signed = (text: string, by = key) => credentialOf(by.sign(text))

/** Gives an operator a passkey, as an authenticator would have. */
const keep = (owner: string, { credentialId, cose }: ReturnType<typeof createPasskeyDouble>) =>
  db.pool.query(
    `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
     values ($1, $2, 'Key', $3, 0, '{}', now())`,
    [credentialId, owner, cose],
  )

/** Invites an operator, who sets up an authenticator app. Returns the cookie of the session. */
async function hire(name: string, role: string): Promise<string> {
  await db.pool.query('update operator_session set stepped_up_at = now()')
  await call(olga, 'POST', '/analytics/operators', { name, email: `${name}@kinora.test`, role })
  const [mail] = await kinora.mails(`${name}@kinora.test`)
  const token = /#token=([\w-]+)/.exec(mail!.text)![1]!
  const cookie = cookieOf(await kinora.post('/analytics/operators/accept', { token, password: PASSWORD }))
  const { secret } = await call(cookie, 'POST', '/analytics/totp', { password: PASSWORD })
  await call(cookie, 'POST', '/analytics/totp/confirm', {
    code: TOTP.generate({ secret: new TOTP({ secret }).secret }),
  })
  return cookie
}

async function audit() {
  let printed = ''
  const print = (text: string) => (printed += text)
  await runAudit(['verify', '--json'], { env: { DATABASE_URL: db.url, DATA_DIR }, print, printError: print })
  return JSON.parse(printed) as { deviations: object[]; desk: { actions: object[] } }
}

describe('an action of an operator with a passkey', { shuffle: false }, () => {
  it('is signed: its text is the challenge, and the assertion is stored with it', async () => {
    const { userId } = await kinora.newUser()
    const grant = { kind: 'grant', subject: userId, amount: 40 }
    expect((await order(olga, grant)).status).toBe(201)
    await keep('00000000-0000-0000-0000-000000000000', key)

    const asked = await order(olga, grant)
    expect(outcome(asked)).toEqual([403, 'signature_required'])
    expect(JSON.parse(asked.text)).toMatchObject({ ...grant, actionId: asked.id, operator: 'olga', reason: 'a remedy' })
    const full = { ...grant, id: asked.id }
    const another = { ...full, amount: 41, credential: signed(asked.text) }
    expect(outcome(await order(olga, another))).toEqual([422, 'passkey_refused'])
    const stranger = createPasskeyDouble('olga-key', kinora.url)
    const forged = { ...full, credential: signed(asked.text, stranger) }
    expect(outcome(await order(olga, forged))).toEqual([422, 'passkey_refused'])
    const done = await order(olga, { ...full, credential: signed(asked.text) })
    expect([done.status, done.action.status]).toEqual([201, 'done'])
    const replayed = { ...full, id: crypto.randomUUID(), credential: signed(asked.text) }
    expect(outcome(await order(olga, replayed))).toEqual([422, 'passkey_refused'])
    expect((await order(olga, { ...full, credential: signed(asked.text) })).action.id).toBe(asked.id)
    const orders = [false, true].map((isSigned) => ({ subject: userId, operator: 'olga', signed: isSigned }))
    const desk = { grant: 2, signed: 1, unsigned: 1, actions: orders }
    expect(await audit()).toMatchObject({ deviations: [], desk })
  })

  it('above the setting waits for another operator, who signs, and who is never its own', async () => {
    const sam = await hire('sam', 'support')
    const vera = await hire('vera', 'viewer')
    const { userId } = await kinora.newUser()
    const grant = { kind: 'grant', subject: userId, amount: 501 }
    const waiting = await order(sam, grant)
    expect(waiting.action).toMatchObject({ status: 'waiting', operator: 'sam' })
    const at = (decision: string) => `/desk/actions/${waiting.action.id}/${decision}`
    expect(outcome(await call(sam, 'POST', at('approve')))).toEqual([403, 'own_approval'])
    expect(outcome(await call(vera, 'POST', at('approve')))).toEqual([403, 'operator_role'])
    expect((await call(vera, 'GET', '/desk/actions?status=waiting')).total).toBe(1)

    const asked = await call(olga, 'POST', at('approve'))
    expect(outcome(asked)).toEqual([403, 'signature_required'])
    const swapped = { credential: signed(asked.text.replace('501', '502')) }
    expect(outcome(await call(olga, 'POST', at('approve'), swapped))).toEqual([422, 'passkey_refused'])
    const approved = await call(olga, 'POST', at('approve'), { credential: signed(asked.text) })
    expect([approved.status, approved.action.status]).toEqual([200, 'done'])
    expect(outcome(await call(olga, 'POST', at('refuse')))).toEqual([409, 'not_waiting'])
    expect((await call(vera, 'GET', '/desk/actions?status=waiting')).total).toBe(0)

    const second = await order(sam, grant)
    const taken = await call(sam, 'POST', `/desk/actions/${second.action.id}/refuse`)
    expect(taken.action).toMatchObject({ status: 'refused', why: 'refused_by_operator' })
    const { deviations, desk } = await audit()
    expect([deviations, desk]).toMatchObject([[], { grant: 3, signed: 2, unsigned: 3 }])
    const [, , given, refused] = desk.actions
    expect(given).toMatchObject({ operator: 'sam', signed: false, approvedBy: 'olga', ended: 'ActionDone' })
    expect(refused).toMatchObject({ operator: 'sam', approvedBy: null, ended: 'ActionRefused' })
  })
})
