import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGithubProvider } from './githubProvider.ts'
import { startGithubDouble } from './testing/githubDouble.ts'

let github: Awaited<ReturnType<typeof startGithubDouble>>
beforeAll(async () => {
  github = await startGithubDouble()
})
afterAll(() => github?.close())

const CHECKS = { state: 'a state', nonce: 'unused', verifier: 'v'.repeat(43) }
const BACK = 'http://localhost/back'

async function signIn({
  secret = github.env.GITHUB_CLIENT_SECRET,
  checks = CHECKS,
  forge = (address: string) => address,
} = {}) {
  const settings = { clientId: github.env.GITHUB_CLIENT_ID, clientSecret: secret, url: github.url, allowsHttp: true }
  const provider = createGithubProvider(settings)
  const page = await provider.authorize(BACK, CHECKS)
  const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!
  return provider.redeem(new URL(forge(back)), checks)
}
const mail = (email: unknown, verified: unknown, primary: unknown = true) => ({ email, verified, primary })

describe('a sign-in with GitHub', () => {
  it('tells the number of the user, and the first address with its verification', async () => {
    const mails = [mail('old@kinora.test', true, false), mail('ada@kinora.test', true)]
    github.signsIn({ id: 583_231, login: 'ada', name: 'Ada Lovelace', mails })
    const profile = { subject: '583231', email: 'ada@kinora.test', emailVerified: true, name: 'Ada Lovelace' }
    expect(await signIn()).toEqual(profile)
    github.signsIn({ id: 583_231, login: 'renamed', name: null, mails: [mail('ada@kinora.test', false)] })
    expect(await signIn()).toEqual({ ...profile, emailVerified: false, name: 'renamed' })
  })

  it.each([
    [[]],
    [null],
    [{}],
    ['text'],
    [[null]],
    [[mail(undefined, true)]],
    [[mail(7, true)]],
    [[mail('a\nb', true)]],
  ])('tells no address if there is none (%j)', async (mails) => {
    github.signsIn({ id: 1, mails })
    expect(await signIn()).toMatchObject({ email: undefined, emailVerified: false, name: undefined })
  })

  it.each([undefined, null, 'octocat', 1.5, {}, 2 ** 60])(
    'is refused without a number of the user (%j)',
    async (id) => {
      github.signsIn({ id, login: 'octocat', mails: [] })
      await expect(signIn()).rejects.toMatchObject({ name: 'ProviderUnavailable', message: 'invalid subject' })
    },
  )

  it('is refused with another state, code or verifier', async () => {
    const forged = [
      { forge: (back: string) => back.replace('state=a', 'state=b') },
      { forge: (back: string) => back.replace(/code=\w+/, 'code=none') },
      { checks: { ...CHECKS, verifier: 'w'.repeat(43) } },
    ]
    for (const each of forged) await expect(signIn(each)).rejects.toMatchObject({ name: 'SignInRefused' })
  })

  it('is unavailable with a wrong secret, which GitHub says with status 200', async () => {
    const wrong = { name: 'ProviderUnavailable', message: 'incorrect_client_credentials' }
    await expect(signIn({ secret: 'wrong' })).rejects.toMatchObject(wrong)
  })
})
