import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
