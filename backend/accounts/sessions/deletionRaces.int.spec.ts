import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { blocked, whileLocked } from '../../testing/whileLocked.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ lockTimeoutMs: 0 })
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

describe('a deletion', () => {
  it('that overlaps a change of the password is no deadlock', async () => {
    const user = await kinora.newUser()
    await user.call('POST', '/users/totp', { password: 'correct horse' })
    const { pool } = kinora.context
    const app = ['select from authenticator where owner = $1 for update', [user.userId]] as const
    const answers = await whileLocked(pool, app, async () => {
      const deletion = user.call('POST', '/users/delete', { password: 'correct horse' })
      await blocked(pool, 1)
      const passwords = { current_password: 'correct horse', new_password: 'a better horse' }
      const change = user.call('PUT', '/users/password', passwords)
      await blocked(pool, 2)
      return [deletion, change]
    })
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 401])
  })

  it('that overlaps the confirmation of an authenticator app makes it a 401', async () => {
    const user = await kinora.newUser()
    const begun = await user.call('POST', '/users/totp', { password: 'correct horse' })
    const { secret } = (await begun.json()) as { secret: string }
    const { pool } = kinora.context
    const account = ['select from user_account where id = $1 for update', [user.userId]] as const
    const [confirmation] = await whileLocked(pool, account, async (client) => {
      const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
      const confirmation = user.call('POST', '/users/totp/confirm', { code })
      await blocked(pool, 1)
      await client.query('delete from user_account where id = $1', [user.userId])
      return [confirmation]
    })
    expect((await confirmation!).status).toBe(401)
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
