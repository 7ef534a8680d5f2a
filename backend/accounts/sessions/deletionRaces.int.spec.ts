import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora.close())

describe('a request that runs while its account is deleted', () => {
  it.each([
    ['PUT', '/users/password', { current_password: 'correct horse', new_password: 'a better horse' }],
    ['POST', '/users/totp', { password: 'correct horse' }],
    ['POST', '/users/totp/confirm', { code: '000000' }],
    ['POST', '/users/recovery-codes', undefined],
    ['POST', '/ws/token', undefined],
  ] as const)('%s %s is no server error', async (method, path, body) => {
    const user = await kinora.newUser()
    await user.call('POST', '/users/totp', { password: 'correct horse' })
    const answers = await Promise.all([
      ...[1, 2, 3, 4].map(() => user.call(method, path, body)),
      user.call('POST', '/users/delete', { password: 'correct horse' }),
      ...[1, 2, 3, 4].map(() => user.call(method, path, body)),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  })
})

/** Resolves when so many statements wait for a lock. */
const waiting = (count: number) =>
  eventually(async () => {
    const sql = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    expect((await kinora.context.pool.query(sql)).rowCount).toBe(count)
  })

describe('a deletion', () => {
  it('that overlaps a change of the password is no deadlock', async () => {
    const user = await kinora.newUser()
    await user.call('POST', '/users/totp', { password: 'correct horse' })
    const client = await kinora.context.pool.connect()
    await client.query('begin')
    await client.query('select from authenticator where owner = $1 for update', [user.userId])
    const deletion = user.call('POST', '/users/delete', { password: 'correct horse' })
    await waiting(1)
    const passwords = { current_password: 'correct horse', new_password: 'a better horse' }
    const change = user.call('PUT', '/users/password', passwords)
    await waiting(2)
    await client.query('rollback')
    client.release()
    expect([(await deletion).status, (await change).status]).toEqual([200, 401])
  })

  it('that overlaps the confirmation of an authenticator app makes it a 401', async () => {
    const user = await kinora.newUser()
    const begun = await user.call('POST', '/users/totp', { password: 'correct horse' })
    const { secret } = (await begun.json()) as { secret: string }
    const client = await kinora.context.pool.connect()
    await client.query('begin')
    await client.query('select from user_account where id = $1 for update', [user.userId])
    const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
    const confirmation = user.call('POST', '/users/totp/confirm', { code })
    await waiting(1)
    await client.query('delete from user_account where id = $1', [user.userId])
    await client.query('commit')
    client.release()
    expect((await confirmation).status).toBe(401)
  })

  it('is completed by an erasure that removes second factors that a request added after it', async () => {
    const user = await kinora.newUser()
    await user.call('POST', '/users/delete', { password: 'correct horse' })
    const added = [
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at) values ('late', $1, 'Phone of Ada', '', 0, '{}', now())`,
      `insert into authenticator (owner, sealed, created_at) values ($1, 'sealed', now())`,
      `insert into recovery_code (hash, owner) values ('late', $1)`,
    ]
    for (const sql of added) await kinora.context.pool.query(sql, [user.userId])
    await kinora.services.erasures.removeRows(user.userId)
    for (const table of ['passkey', 'authenticator', 'recovery_code']) {
      const found = await kinora.context.pool.query(`select from ${table} where owner = $1`, [user.userId])
      expect([table, found.rowCount]).toEqual([table, 0])
    }
  })

  it('succeeds once', async () => {
    const user = await kinora.newUser()
    const erase = () => user.call('POST', '/users/delete', { password: 'correct horse' })
    const answers = await Promise.all([1, 2, 3, 4].map(erase))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  })
})
