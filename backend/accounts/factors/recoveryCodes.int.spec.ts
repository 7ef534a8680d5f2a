import { hash } from 'node:crypto'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora.close())

const countCodes = async (user: TestUser) =>
  ((await (await user.call('GET', '/users/factors')).json()) as { recovery_codes: number }).recovery_codes
const codesIn = async (answer: Promise<Response>) =>
  ((await (await answer).json()) as { recovery_codes: string[] }).recovery_codes
const renew = (user: TestUser) => user.call('POST', '/users/recovery-codes')

const sha256 = (code: string) => hash('sha256', code.replaceAll('-', ''))
const begin = async (user: TestUser) =>
  (await (await user.call('POST', '/users/totp', { password: 'correct horse' })).json()) as { secret: string }
/** Turns an authenticator app on, and returns the recovery codes that the owner is shown. */
async function enrol(user: TestUser): Promise<string[]> {
  const { secret } = await begin(user)
  const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
  return codesIn(user.call('POST', '/users/totp/confirm', { code }))
}

describe('recovery codes', () => {
  it('that are renewed several times at once are ten in the end', async () => {
    const user = await kinora.newUser()
    await enrol(user)
    const answers = await Promise.all(Array.from({ length: 8 }, () => renew(user)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(await countCodes(user)).toBe(10)
  })

  it('are not made without a factor, and a first factor replaces those that somebody left', async () => {
    const user = await kinora.newUser()
    expect((await renew(user)).status).toBe(404)
    await kinora.context.pool.query(`insert into recovery_code (hash, owner) values ('planted', $1)`, [user.userId])
    expect(await enrol(user)).toHaveLength(10)
    expect(await countCodes(user)).toBe(10)
  })

  it('are stored as hashes', async () => {
    const user = await kinora.newUser()
    const codes = await enrol(user)
    const sql = 'select hash from recovery_code where owner = $1'
    const { rows } = await kinora.context.pool.query<{ hash: string }>(sql, [user.userId])
    expect(rows.map(({ hash }) => hash).toSorted()).toEqual(codes.map(sha256).toSorted())
  })

  it('go with the last factor, although the setup of another was begun', async () => {
    const user = await kinora.newUser()
    await begin(user)
    const values = [user.userId]
    await kinora.context.pool.query(
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at) values ('last', $1, '', '', 0, '{}', now())`,
      values,
    )
    await kinora.context.pool.query(`insert into recovery_code (hash, owner) values ('idle', $1)`, values)
    await kinora.context.pool.query('update session set stepped_up_at = now() where user_id = $1', values)
    expect((await user.call('DELETE', '/users/passkeys/last')).status).toBe(204)
    expect(await countCodes(user)).toBe(0)
  })
})

it('only the removal of an app that was on is recorded', async () => {
  const user = await kinora.newUser()
  const remove = () => user.call('DELETE', '/users/totp')
  const removals = async () => {
    const sql = "select from security_record where user_id = $1 and event = 'second_factor_removed'"
    return (await kinora.context.pool.query(sql, [user.userId])).rowCount
  }
  await begin(user)
  expect([(await remove()).status, await removals()]).toEqual([204, 0])
  await enrol(user)
  await Promise.all([remove(), remove()])
  expect(await removals()).toBe(1)
})
