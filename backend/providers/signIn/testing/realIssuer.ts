/// <reference path="./oidcProvider.d.ts" />

import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import Provider from 'oidc-provider'

/** Claims of a person at the issuer. */
export interface Person {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: unknown
  readonly name?: string
}

export type RealIssuer = Awaited<ReturnType<typeof startRealIssuer>>

const newKeys = () => ({
  keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })],
})

/**
 * Starts `oidc-provider`, a certified implementation of OpenID Connect, as an issuer. Every visitor is signed in as
 * `person`, or declines if there is none.
 * @param client how the client proves its secret
 */
export async function startRealIssuer(client: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic') {
  const server = createServer((...exchange) => void (replaced ?? answer)(...exchange))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const people = new Map<string, Person>()
  const redirectUris: string[] = []
  let person: Person | undefined
  let replaced: RequestListener | undefined
  let jwks = newKeys()
  let provider = build()

  function build(): Provider {
    return new Provider(url, {
      ...{ jwks, clients: [{ ...CLIENT, token_endpoint_auth_method: client, redirect_uris: redirectUris }] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => people.get(accountId) }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      cookies: { keys: ['tests'] },
    })
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!person)
      return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'declined' })
    const { params } = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({ accountId: person.sub, clientId: params.client_id })
    grant.addOIDCScope('openid email profile')
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(request, response, { login: { accountId: person.sub }, consent })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response)
    await interact(request, response).catch(() => response.writeHead(500).end())
  }

  return {
    url,
    env: {
      OIDC_ISSUER: url,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_NAME: 'Acme',
      OIDC_LOGO: LOGO,
    },
    /** Accepts an address to which people are sent back. */
    accept(redirectUri: string): void {
      redirectUris.push(redirectUri)
      provider = build()
    },
    /** Signs everyone in as a person from now on; without one, everyone declines. */
    signsIn(next: Person | undefined): void {
      person = next
      if (next) people.set(next.sub, next)
    },
    rotateKeys(): void {
      jwks = newKeys()
      provider = build()
    },
    /** Answers a request as the issuer does. */
    answer,
    /** Answers all requests with a listener instead, or as before without one. */
    replace(listener?: RequestListener): void {
      replaced = listener
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A picture of the repository. */
export const LOGO = path.join(import.meta.dirname, '../../../../site/public/favicon.svg')

const CLIENT = {
  client_id: 'kinora',
  client_secret: 'a secret / that needs + encoding',
  scope: 'openid email profile',
}
