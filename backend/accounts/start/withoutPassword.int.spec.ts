import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

const newestToken = async (email: string) => /token=([\w-]+)/.exec((await kinora.mails(email))[0]!.text)![1]!
const outcome = async (answer: Response) => {
  const { code, errors } = (await answer.json()) as { code?: string; errors?: { path: string; code: string }[] }
  return [answer.status, errors?.[0] ? `${errors[0].path}: ${errors[0].code}` : code]
}

/** Makes an account with a mailed link. */
async function member(email: string) {
  await kinora.post('/auth/start', { email })
  const answer = await kinora.post('/auth/start/confirm', { token: await newestToken(email) })
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const send = (path: string, body: object = {}) => kinora.post(path, body, { cookie })
  const isPasswordSet = async () =>
    ((await (await fetch(`${kinora.api}/users/password`, { headers: { cookie } })).json()) as { set: boolean }).set
  return { send, isPasswordSet, erase: (body: object = {}) => send('/users/delete', body) }
}

describe('an account without a password', () => {
  it('gets one with a reset link, and then confirms its deletion with it', async () => {
    const email = 'later@kinora.test'
    const { send, isPasswordSet } = await member(email)
    expect(await isPasswordSet()).toBe(false)
    await send('/auth/forgot-password', { email })
    const token = await newestToken(email)
    expect((await send('/auth/reset-password', { token, new_password: 'a better horse' })).status).toBe(200)
    const login = await kinora.post('/auth/login', { email, password: 'a better horse' })
    const cookie = login.headers.getSetCookie().join('; ')
    const erase = (body: object) => kinora.post('/users/delete', body, { cookie })
    expect(await outcome(await erase({}))).toEqual([422, 'password: required'])
    expect(await outcome(await erase({ password: 'not mine' }))).toEqual([422, 'password: wrong_password'])
    expect((await erase({ password: 'a better horse' })).status).toBe(200)
  })

  it('confirms its deletion with a mailed link, which is its own', async () => {
    const [own, other] = [await member('own@kinora.test'), await member('other@kinora.test')]
    expect(await outcome(await own.erase())).toEqual([403, 'mail_required'])
    expect(await outcome(await own.erase({ password: 'no account has this password' }))).toEqual([403, 'mail_required'])
    expect((await other.send('/users/delete/mail')).status).toBe(202)
    const others = await newestToken('other@kinora.test')
    expect(await outcome(await own.erase({ token: others }))).toEqual([422, 'token_invalid'])
    await own.send('/users/delete/mail')
    expect((await own.erase({ token: await newestToken('own@kinora.test') })).status).toBe(200)
    expect((await kinora.context.pool.query("select from user_account where email = 'own@kinora.test'")).rowCount).toBe(
      0,
    )
  })

  it('confirms its deletion with a passkey that was proved in the last ten minutes', async () => {
    const { erase } = await member('passkey@kinora.test')
    const { pool } = kinora.context
    const { rows } = await pool.query<{ id: string }>("select id from user_account where email = 'passkey@kinora.test'")
    const [{ id }] = rows as [{ id: string }]
    await pool.query(
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at) values ('p', $1, '', '', 0, '{}', now())`,
      [id],
    )
    const provedAgo = (time: string) =>
      pool.query('update session set stepped_up_at = now() - $2::interval where user_id = $1', [id, time])
    await provedAgo('11 minutes')
    expect(await outcome(await erase())).toEqual([403, 'step_up_required'])
    await provedAgo('9 minutes')
    expect((await erase()).status).toBe(200)
  })

  it('is told that it has none where one is asked for, which spends no attempt at its deletion', async () => {
    const { send, erase } = await member('factor@kinora.test')
    for (let attempt = 0; attempt < 11; attempt++)
      expect(await outcome(await send('/users/totp', { password: 'a guess' }))).toEqual([422, 'password: no_password'])
    const passkey = { name: 'Phone', password: 'a guess' }
    expect(await outcome(await send('/users/passkeys/options', passkey))).toEqual([422, 'password: no_password'])
    await send('/users/delete/mail')
    expect((await erase({ token: await newestToken('factor@kinora.test') })).status).toBe(200)
  })

  it('does not delete an account that has a password with a mailed link alone', async () => {
    const user = await kinora.newUser()
    await user.call('POST', '/users/delete/mail')
    const answer = await user.call('POST', '/users/delete', { token: await newestToken(user.email) })
    expect(await outcome(answer)).toEqual([422, 'password: required'])
  })
})
