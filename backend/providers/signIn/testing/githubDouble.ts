import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface User {
  readonly id: unknown
  readonly login?: unknown
  readonly name?: unknown
  readonly mails: unknown
}

/**
 * Starts a double of a GitHub Enterprise Server: its OAuth and the two calls of its API that tell who signed in. It answers a
 * form unless JSON is asked for, sends errors of the token endpoint with status 200, and checks PKCE. See
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.
 */
export async function startGithubDouble() {
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>()
  const tokens = new Set<string>()
  let user: User = { id: 1, login: 'octocat', mails: [] }
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}`

  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID().replaceAll('-', '').slice(0, 20)
    const [challenge, redirectUri] = [query.get('code_challenge') ?? '', query.get('redirect_uri') ?? '']
    codes.set(code, { challenge, redirectUri })
    const back = new URL(redirectUri)
    back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  function grant(form: URLSearchParams): Record<string, string> {
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const isClient = form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret
    if (!isClient) return { error: 'incorrect_client_credentials' }
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (code?.challenge !== challenge || code.redirectUri !== form.get('redirect_uri'))
      return { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
    const token = `gho_${randomUUID().replaceAll('-', '')}`
    tokens.add(token)
    return { access_token: token, scope: 'read:user,user:email', token_type: 'bearer' }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    if (pathname === '/login/oauth/authorize') return authorize(searchParams, response)
    if (pathname === '/login/oauth/access_token' && request.method === 'POST') {
      const body = grant(new URLSearchParams(await text(request)))
      if (request.headers.accept?.includes('application/json')) return void json(response, 200, body)
      const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
      return void response.writeHead(200, headers).end(new URLSearchParams(body).toString())
    }
    if (!request.headers['user-agent']) return void json(response, 403, { message: 'Request forbidden' })
    const token = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (!token || !tokens.has(token)) return void json(response, 401, { message: 'Bad credentials', status: '401' })
    const { mails, ...profile } = user
    if (pathname === '/api/v3/user') return void json(response, 200, { type: 'User', name: null, ...profile })
    if (pathname === '/api/v3/user/emails') return void json(response, 200, mails)
    json(response, 404, { message: 'Not Found', status: '404' })
  }

  return {
    url,
    env: { GITHUB_URL: url, GITHUB_CLIENT_ID: CLIENT.id, GITHUB_CLIENT_SECRET: CLIENT.secret },
    /** Signs everyone in as a user from now on. */
    signsIn(next: User): void {
      user = next
    },
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

const CLIENT = { id: 'Iv1.8a61f9b3a7aba766', secret: 'a secret of an app' }
