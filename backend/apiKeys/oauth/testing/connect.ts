import { createHash, randomBytes } from 'node:crypto'
import type { z } from 'zod/mini'
import type { TestUser } from '#backend/testing/testUser.ts'
import type { ConsentView } from '../contract.ts'

export const CALLBACK = 'http://127.0.0.1:4259/callback'
export const PASSWORD = 'correct horse'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
}

/** Registers a client at a server. Returns its id. */
export async function registerClient(url: string, body: object = {}): Promise<string> {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Probe', redirect_uris: [CALLBACK], ...body }),
  })
  return ((await answer.json()) as { client_id: string }).client_id
}

/** Returns the query by which a client asks for access, and the secret that its exchange shows. */
export function accessRequest(clientId: string, changes: Record<string, string | undefined> = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const request = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: CALLBACK, state: 'state-1' },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    ...changes,
  }
  return { verifier, request }
}

/** Allows what the address of a consent page asks for. Returns the address to which the browser goes. */
export async function allow(user: TestUser, address: URL, credits = 300): Promise<URL> {
  const request = Object.fromEntries(address.searchParams)
  const answer = await user.call('POST', '/oauth/consent', {
    ...request,
    credits_per_month: credits,
    password: PASSWORD,
  })
  if (!answer.ok) throw new Error(`not allowed: ${answer.status} ${await answer.text()}`)
  return new URL(((await answer.json()) as { redirect_to: string }).redirect_to)
}

export const view = async (user: TestUser, address: URL) =>
  (await (await user.call('GET', `/oauth/request${address.search}`)).json()) as z.output<typeof ConsentView> & {
    code?: string
  }

/** Sends a form to the endpoint for tokens. */
export const postForm = (url: string, form: Record<string, string>, path = 'token') =>
  fetch(`${url}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(form) })

/** Connects a client of a user, and returns its tokens. */
export async function connect(
  url: string,
  user: TestUser,
  { clientId, credits, ...changes }: { clientId?: string; credits?: number; scope?: string } = {},
) {
  const client_id = clientId ?? (await registerClient(url))
  const { verifier, request } = accessRequest(client_id, changes)
  const address = new URL(`${url}/oauth/authorize?${new URLSearchParams(JSON.parse(JSON.stringify(request)))}`)
  const code = (await allow(user, address, credits)).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, client_id, redirect_uri: CALLBACK, code_verifier: verifier }
  const answer = await postForm(url, form)
  if (!answer.ok) throw new Error(`no tokens: ${answer.status} ${await answer.text()}`)
  return { client_id, code, form, tokens: (await answer.json()) as Tokens }
}
