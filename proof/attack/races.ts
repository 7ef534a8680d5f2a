import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Attacker } from './attacker.ts'
import { type Account, CREDITS } from './target.ts'
import { GENERATION, generate } from './work.ts'

const AT_ONCE = 10

type Race = (attacker: Attacker, as: Account) => Promise<void>

const together = (count: number, send: (n: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)))
const accepted = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300)
const taskIds = (answers: readonly Answer[]) =>
  new Set(accepted(answers).map((answer) => (answer.json() as { task: { id: string } }).task.id))

/** Requests that must not both succeed, sent together. */
const RACES: Readonly<Record<string, Race>> = {
  async 'the last credits are spent once'(attacker, as) {
    const answers = await together(AT_ONCE, () => generate(attacker, as))
    const { entries } = (await attacker.call('GET', '/credits/history?per_page=100', as)).json() as { entries: Entry[] }
    const taken = entries.filter(({ amount }) => amount < 0).reduce((sum, { amount }) => sum - amount, 0)
    if (taken > CREDITS) attacker.find(`race: ${taken} credits spent of ${CREDITS} by ${taskIds(answers).size} videos`)
    const { remaining_credits: left } = (await attacker.call('GET', '/subscriptions/stats', as)).json() as Stats
    if (left < 0) attacker.find(`race: the balance is ${left}`)
  },

  async 'one key makes one video'(attacker, as) {
    const answers = await together(AT_ONCE, () => generate(attacker, as, 'race'))
    answers.push(await generate(attacker, as, 'race'))
    if (taskIds(answers).size > 1) attacker.find(`race: one key made ${taskIds(answers).size} videos`)
    const body = { ...GENERATION, prompt: 'another text' }
    const reused = await attacker.call('POST', '/videos/generate', as, body, { 'idempotency-key': 'race' })
    if (reused.status < 300) attacker.find('race: a key is accepted for another video')
  },

  async 'two approvals grant credits once'(attacker, as) {
    const ids = await Promise.all(['pro', 'standard'].map((tier) => upgrade(attacker, as, tier)))
    await together(6, (n) => approve(attacker, as, ids[n % ids.length]!))
    await together(6, (n) => confirm(attacker, as, ids[n % ids.length]!))
    await delay(1_000)
    const { entries } = (await attacker.call('GET', '/credits/history?per_page=100', as)).json() as { entries: Entry[] }
    const grants = entries.filter(({ kind, amount }) => kind === 'grant' && amount !== CREDITS)
    if (grants.length > ids.length)
      attacker.find(`race: ${ids.length} approvals granted credits ${grants.length} times`)
    if (new Set(grants.map(({ amount }) => amount)).size < grants.length)
      attacker.find('race: a plan granted its credits twice')
  },

  async 'an account is deleted once'(attacker, as) {
    const erase = () => attacker.call('POST', '/users/delete', as, { password: as.password })
    const answers = await together(4, erase)
    const statuses = answers.map(({ status }) => status).sort()
    if (statuses.join() !== '200,401,401,401') attacker.find(`race: deletions are answered with ${statuses}`)
    const { status } = await attacker.call('GET', '/auth/me', as)
    if (status !== 401) attacker.find(`race: a deleted account answers ${status}`)
  },

  async 'a changed password ends the session'(attacker, as) {
    const body = { current_password: as.password, new_password: 'a better horse' }
    const [changed] = await Promise.all([
      attacker.call('PUT', '/users/password', as, body),
      together(AT_ONCE, () => attacker.call('POST', '/ws/token', as)),
      together(2, () => attacker.call('POST', '/auth/refresh', as)),
    ])
    if (changed.status !== 200) attacker.find(`race: the password change answers ${changed.status}`)
    for (const [method, path] of [
      ['GET', '/auth/me'],
      ['POST', '/auth/refresh'],
      ['POST', '/ws/token'],
    ] as const) {
      const { status } = await attacker.call(method, path, as)
      if (status !== 401) attacker.find(`race: ${method} ${path} answers ${status} after the password change`)
    }
  },

  async 'a token is spent once'(attacker, as) {
    const email = `race-${as.n}@kinora.test`
    await attacker.call('POST', '/auth/register', undefined, { email, password: 'a better horse', username: 'Racer' })
    const token = await mailedToken(attacker, email)
    const answers = await together(4, () => attacker.call('POST', '/auth/verify-email', undefined, { token }))
    if (accepted(answers).length > 1) attacker.find(`race: a token was accepted ${accepted(answers).length} times`)
  },
}

interface Stats {
  readonly remaining_credits: number
}
interface Entry {
  readonly kind: string
  readonly amount: number
}

export async function races(attacker: Attacker, rounds: number): Promise<string> {
  for (let round = 0; round < rounds; round++)
    for (const race of Object.values(RACES)) await race(attacker, await attacker.target.newAccount())
  return `${Object.keys(RACES).length} races × ${rounds}`
}

async function upgrade(attacker: Attacker, as: Account, new_tier: string): Promise<string> {
  const answer = await attacker.call('POST', '/subscriptions/upgrade', as, { new_tier })
  return (answer.json() as { data: { subscription_id: string } }).data.subscription_id
}

const approve = async (attacker: Attacker, as: Account, id: string) =>
  attacker.send({ method: 'POST', path: `/../../dev/paypal/${id}/approve`, as })

const confirm = (attacker: Attacker, as: Account, subscription_id: string) =>
  attacker.call('POST', '/subscriptions/confirm', as, { subscription_id })

/** Returns the token of the newest mail to an address that has got `count`, from the development mailbox. */
export async function mailedToken(attacker: Attacker, email: string, count = 1): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const path = `/../../dev/mailbox.json?to=${encodeURIComponent(email)}`
    const mails = (await attacker.send({ method: 'GET', path, isOperator: true })).json() as { text: string }[]
    const token = mails.length >= count ? /token=([\w-]+)/.exec(mails[0]!.text)?.[1] : undefined
    if (token) return token
    await delay(100)
  }
  throw new Error(`no mail to ${email}`)
}
