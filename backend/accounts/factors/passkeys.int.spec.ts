import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

const PASSWORD = 'correct horse'
const json = async <T>(answer: Response) => (await answer.json()) as T
interface Options {
  readonly options: {
    readonly challenge: string
    readonly rpId?: string
    readonly rp?: { readonly id: string }
    readonly attestation?: string
    readonly userVerification?: string
    readonly authenticatorSelection?: { readonly userVerification: string; readonly residentKey: string }
  }
}

/** Answers of a browser that are no answers of a passkey. `{}` replaces a part of them. */
const HOSTILE = [
  {},
  { id: 'x' },
  { id: '\u0000' },
  { id: 7, response: [] },
  { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
  { id: 'x', rawId: 'x', type: 'public-key', response: null, clientExtensionResults: {} },
]

describe('a passkey', () => {
  it('is asked for by the host of the public address, with user verification', async () => {
    const user = await kinora.newUser()
    expect((await user.call('POST', '/users/passkeys/options', { password: 'not my horse' })).status).toBe(422)
    const created = await json<Options>(await user.call('POST', '/users/passkeys/options', { password: PASSWORD }))
    expect(created.options.rp?.id).toBe('localhost')
    expect(created.options.authenticatorSelection).toMatchObject({
      userVerification: 'required',
      residentKey: 'required',
    })
    expect(created.options.attestation).toBe('none')
    const asked = await kinora.post('/users/passkeys/challenge', undefined)
    expect(asked.headers.getSetCookie().join()).toMatch(/^kinora_challenge=.*httponly/)
    expect((await json<Options>(asked)).options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
  })

  it('is refused if the browser sends anything else', async () => {
    const user = await kinora.newUser()
    for (const credential of HOSTILE) {
      const outcomes = await Promise.all([
        kinora.post('/auth/passkey', { credential }),
        kinora.post('/analytics/passkey', { credential }),
        user.call('POST', '/users/passkeys', { name: 'Phone', credential }),
        user.call('POST', '/users/step-up/passkey', { credential }),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    }
  })

  it('of another user cannot be removed', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    const row = [`key${Date.now()}`, user.userId]
    await kinora.context.pool.query(
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
       values ($1, $2, 'Phone', '', 0, '{}', now())`,
      row,
    )
    expect((await other.call('DELETE', `/users/passkeys/${row[0]}`)).status).toBe(404)
    expect((await user.call('DELETE', '/users/passkeys/x')).status).toBe(403)
    await kinora.context.pool.query('update session set stepped_up_at = now() where user_id = $1', [user.userId])
    expect((await user.call('DELETE', '/users/passkeys/x')).status).toBe(404)
    expect((await user.call('DELETE', `/users/passkeys/${row[0]}`)).status).toBe(204)
  })
})
