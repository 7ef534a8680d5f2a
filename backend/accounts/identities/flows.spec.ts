import type { Context } from 'koa'
import { expect, it } from 'vitest'
import type { Database } from '../../kernel/postgres/orm.ts'
import type { Cookies } from '../sessions/cookies.ts'
import { createFlows } from './flows.ts'

it('a flow ends after ten minutes, and tells the provider nothing', async () => {
  let now = 0
  let cookie = ''
  const cookies = { flow: () => cookie, setFlow: (_: Context, value: string) => (cookie = value) } as unknown as Cookies
  const used = { em: { fork: () => ({ execute: async () => [{ hash: 'used' }] }) } } as unknown as Database
  const flows = createFlows(used, Buffer.alloc(32), cookies, () => now)
  const ctx = {} as Context
  const { state, nonce, verifier } = flows.begin(ctx, { provider: 'oidc', next: '/library', language: 'en' })
  const sent = Buffer.from(state, 'base64url').toString()
  for (const secret of [nonce, verifier, '/library', cookie]) expect(sent).not.toContain(secret)
  now = 10 * 60_000
  expect(await flows.accept(ctx, state)).toMatchObject({ provider: 'oidc', next: '/library', nonce, verifier })
  now++
  expect(await flows.accept(ctx, state)).toBeUndefined()
})
