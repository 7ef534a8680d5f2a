import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Clients, OAuthClient } from './clients.ts'
import { type AccessRequest, CONNECTION_SCOPES } from './contract.ts'
import { isRegistered } from './redirectUris.ts'

/** A SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/

/** A request for access that may be shown to the user. */
export interface CheckedRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly challenge: string
  readonly scopes: (typeof CONNECTION_SCOPES)[number][]
  readonly state: string | undefined
}

/** Returns whether a resource is one of this installation, all of which take the same tokens. */
export const isOwnResource = (resource: string, publicUrl: string): boolean =>
  ['', '/mcp', '/v1'].some((path) => resource.replace(/\/$/, '') === publicUrl + path)

/**
 * Checks a request for access. An error never sends the browser to the client by itself: an address that anyone can make would
 * then lead from this site to another. It carries the address that tells the client, once that is known to be the client's.
 * @throws Rejection client_unknown, redirect_refused, access_request_invalid
 */
export async function checkRequest(
  request: AccessRequest,
  find: Clients['find'],
  publicUrl: string,
): Promise<CheckedRequest> {
  const client = request.client_id === undefined ? undefined : await find(request.client_id)
  if (!client) throw new Rejection('client_unknown', 'This program is not known here. Connect it again.')
  const { redirect_uri: redirectUri, code_challenge: challenge = '', state } = request
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris))
    throw new Rejection('redirect_refused', 'This program asks to be answered at an address that is not its own.')

  const refuse = (error: string, detail: string) => {
    const refused_url = addressWith(redirectUri, { error, error_description: detail, state, iss: publicUrl })
    return new Rejection('access_request_invalid', detail, { error, refused_url })
  }
  if (request.response_type !== 'code') throw refuse('unsupported_response_type', 'response_type must be code.')
  if (request.code_challenge_method !== 'S256' || !CHALLENGE.test(challenge))
    throw refuse('invalid_request', 'Send a code_challenge with code_challenge_method S256.')
  if (request.resource !== undefined && !isOwnResource(request.resource, publicUrl))
    throw refuse('invalid_target', `The resource must be ${publicUrl}/mcp.`)
  const asked = request.scope?.split(' ').filter(Boolean) ?? []
  const scopes = CONNECTION_SCOPES.filter((scope) => asked.length === 0 || asked.includes(scope))
  if (scopes.length === 0) throw refuse('invalid_scope', `Ask for some of ${CONNECTION_SCOPES.join(' ')}.`)
  return { client, redirectUri, challenge, scopes, state }
}

/** Returns an address of a client with an answer. */
export function addressWith(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
