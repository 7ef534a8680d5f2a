import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora.close())

it('recovery codes that are renewed several times at once are ten in the end', async () => {
  const user = await kinora.newUser()
  const renew = () => user.call('POST', '/users/recovery-codes')
  await renew()
  const answers = await Promise.all(Array.from({ length: 8 }, renew))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  const { recovery_codes } = (await (await user.call('GET', '/users/factors')).json()) as { recovery_codes: number }
  expect(recovery_codes).toBe(10)
})
