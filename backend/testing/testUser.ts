import { setTimeout as delay } from 'node:timers/promises'
import { documented } from './operations.ts'

export interface TestUser {
  readonly email: string
  readonly userId: string
  /** Session cookies, as the value of a Cookie header. */
  readonly cookie: string
  /** Calls the API as this user with a JSON body. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /**
   * Returns the address of one WebSocket.
   * @param base URL of the process to connect to, by default where the user registered
   * @throws Error if the API issues no token
   */
  socketAddress(base?: string): Promise<string>
}

let users = 0

/** Returns a client that calls the API without a session and reads emails from the development mailbox. */
export function visitor(url: string) {
  const api = `${url}/api/v1`
  return {
    api,
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }
      return documented(api, 'POST', path, await fetch(api + path, init))
    },
    /** Returns the emails sent to an address, newest first. */
    mails: async (to: string) =>
      (await (await fetch(`${url}/dev/mailbox.json?to=${encodeURIComponent(to)}`)).json()) as {
        subject: string
        text: string
      }[],
  }
}

/** Reads the mails to an address, newest first. */
export type MailReader = (to: string) => Promise<readonly { readonly text: string }[]>

/**
 * Registers a user, verifies the address with the emailed link, and signs in.
 * @param mails default: those of the development mailbox
 */
export async function registerUser(
  url: string,
  email = `user${++users}.${Date.now()}@kinora.test`,
  mails: MailReader = visitor(url).mails,
): Promise<TestUser> {
  const { api, post } = visitor(url)
  const password = 'correct horse'
  await post('/auth/register', { email, password, username: 'Test User' })
  let mail = await mails(email)
  // Another process may deliver the email, so it can arrive later.
  for (let attempt = 0; !mail[0] && attempt < 100; attempt++) {
    await delay(100)
    mail = await mails(email)
  }
  const verified = await post('/auth/verify-email', { token: /token=([\w-]+)/.exec(mail[0]!.text)![1] })
  if (!verified.ok) throw new Error(`${email} not verified: ${await verified.text()}`)
  const login = await post('/auth/login', { email, password })
  if (!login.ok) throw new Error(`${email} not signed in: ${await login.text()}`)
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const { user } = (await login.json()) as { user: { id: string } }
  const call: TestUser['call'] = async (method, path, body, headers = {}) => {
    const init = {
      method,
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    return documented(api, method, path, await fetch(api + path, init))
  }
  const socketAddress = async (base = url) => {
    const answer = await call('POST', '/ws/token')
    if (!answer.ok) throw new Error(`no token for a socket: ${answer.status}`)
    const { token } = (await answer.json()) as { token: string }
    return `${base.replace('http', 'ws')}/api/v1/ws?token=${token}`
  }
  return { email, userId: user.id, cookie, call, socketAddress }
}

export const GENERATION = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  prompt: 'A cat on a hill at sunset',
  duration: 6,
  resolution: '768P',
}
