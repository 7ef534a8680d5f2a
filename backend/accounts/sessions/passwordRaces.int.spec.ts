import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { countBlocked, whileLocked } from '../../testing/whileLocked.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ lockTimeoutMs: 0 })
})
afterAll(() => kinora.close())

/** Changes the password of a user while `run` waits for the change, or has finished without it. */
async function whileChanging<T>(userId: string, run: () => Promise<T>): Promise<T> {
  const sql = `update user_account set password_hash = 'disabled', password_changed_at = now() where id = $1`
  const { pool } = kinora.context
  const [running] = await whileLocked(pool, [sql, [userId]], async () => {
    let isOver = false
    const running = run().finally(() => {
      isOver = true
    })
    await expect.poll(async () => isOver || (await countBlocked(pool))).toBeTruthy()
    return [running]
  })
  return running!
}

describe('a password that is changed while an earlier one is checked', () => {
  it('opens no session', async () => {
    const user = await kinora.newUser()
    const { email } = user
    const login = () => kinora.post('/auth/login', { email, password: 'correct horse' })
    expect((await whileChanging(user.userId, login)).status).toBe(401)
  })

  it('is not replaced', async () => {
    const user = await kinora.newUser()
    const passwords = { current_password: 'correct horse', new_password: 'a better horse' }
    const change = () => user.call('PUT', '/users/password', passwords)
    expect((await whileChanging(user.userId, change)).status).toBe(401)
    const { rows } = await kinora.context.pool.query('select password_hash from user_account where id = $1', [
      user.userId,
    ])
    expect(rows).toEqual([{ password_hash: 'disabled' }])
  })
})
