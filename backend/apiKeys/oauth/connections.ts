import { createHash } from 'node:crypto'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { Scope } from '../../kernel/http/contract.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { type Transaction, transaction } from '../../kernel/postgres/transaction.ts'
import type { Clock } from '../../kernel/time.ts'
import { insertKey } from '../apiKeys.ts'
import { hashOf, makeKey, type Prefix } from '../keyText.ts'
import { type OAuthClient, OAuthFault } from './clients.ts'

/** Lifetimes of the tokens, ms. A connection ends when nothing refreshes it. */
const LIVES = { code: 60_000, access: 3_600_000, refresh: 30 * 24 * 3_600_000 }
const PREFIXES: Readonly<Record<Kind, Prefix>> = { code: 'kinc_', access: 'kino_', refresh: 'kinr_' }
/** Programs refresh twice when an answer is lost, or in two processes. Later, a used token has been stolen. */
const REUSE_MS = 30_000

type Kind = keyof typeof LIVES

/** What a user allows a client. */
export interface Allowance {
  readonly client: OAuthClient
  readonly scopes: Scope[]
  readonly creditsPerMonth: number | null
  readonly redirectUri: string
  /** SHA-256 of a secret that the exchange must show (RFC 7636). */
  readonly challenge: string
}

interface TokenRow {
  readonly key_id: string
  readonly client_id: string
  readonly scopes: Scope[]
  readonly redirect_uri: string | null
  readonly challenge: string | null
  /** Milliseconds since its first use; null if it was never used. */
  readonly used_ms: number | null
  readonly is_valid: boolean
}

const READ = `select t.key_id, k.client_id, k.scopes, t.redirect_uri, t.challenge, t.expires_at > $3 as is_valid,
    (extract(epoch from $3 - t.used_at) * 1000)::float8 as used_ms
  from connection_token t join api_key k on k.id = t.key_id
  where t.hash = $1 and t.kind = $2 and k.ended_at is null and k.expires_at > $3 for update`

/** A connection is allowed again once a year. */
const EXTEND = `update api_key set expires_at = least($2, created_at + interval '1 year') where id = $1`

const refused = () => new OAuthFault('invalid_grant', 'This code or token is not valid. Connect again.')

export type Connections = ReturnType<typeof createConnections>

/**
 * Creates the connections of clients: keys that an exchange of tokens renews. The code, each access token and each refresh token
 * is a random text of which the hash is stored. What a thief would do ends the connection.
 */
export function createConnections(database: Database, clock: Clock) {
  const { issue, use } = createTokens(database, clock)

  return {
    /** Makes a connection, and returns the code by which its client gets the tokens. @throws Rejection too_many_keys */
    allow: (userId: string, { client, scopes, creditsPerMonth, redirectUri, challenge }: Allowance): Promise<string> =>
      transaction(database, async (tx) => {
        const [id, now] = [uuid7(), new Date(clock())]
        await insertKey(tx, userId, id, now, {
          ...{ purse_id: id, name: client.name, scopes, models: null, networks: null },
          ...{ credits_per_day: null, credits_per_month: creditsPerMonth },
          expires_at: new Date(now.getTime() + LIVES.code),
          ...{ client_id: client.id, client_host: client.host },
        })
        return issue(tx, 'code', id, { redirect_uri: redirectUri, challenge })
      }),

    /** Exchanges a code, once. @throws OAuthFault invalid_grant */
    exchange: (code: string, clientId: string, shown: Readonly<{ redirectUri: string; verifier: string }>) =>
      use(
        'code',
        code,
        clientId,
        ({ used_ms, redirect_uri, challenge }) =>
          used_ms === null &&
          redirect_uri === shown.redirectUri &&
          challenge === createHash('sha256').update(shown.verifier).digest('base64url'),
      ),

    /** Exchanges a refresh token for the next ones. @throws OAuthFault invalid_grant */
    refresh: (token: string, clientId: string) =>
      use('refresh', token, clientId, ({ used_ms }) => used_ms === null || used_ms < REUSE_MS),

    /** Deletes tokens that have expired. */
    removeExpired: () =>
      transaction(database, (tx) =>
        tx.query('delete from connection_token where expires_at < $1', [new Date(clock())]),
      ),
  }
}

/** Creates what makes and uses the tokens of connections. */
function createTokens(database: Database, clock: Clock) {
  const issue = async (tx: Transaction, kind: Kind, keyId: string, more: object = {}): Promise<string> => {
    const token = makeKey(PREFIXES[kind])
    const expires_at = new Date(clock() + LIVES[kind])
    const columns = { hash: hashOf(token), key_id: keyId, kind, expires_at, ...more }
    const names = Object.keys(columns)
    const places = names.map((_, n) => `$${n + 1}`)
    await tx.query(`insert into connection_token (${names}) values (${places})`, Object.values(columns))
    return token
  }

  /** Makes the tokens of a connection, which lives as long as its newest refresh token. */
  const renew = async (tx: Transaction, { key_id, scopes }: TokenRow) => {
    const access_token = await issue(tx, 'access', key_id)
    const refresh_token = await issue(tx, 'refresh', key_id)
    await tx.query(EXTEND, [key_id, new Date(clock() + LIVES.refresh)])
    const expires_in = LIVES.access / 1000
    return { access_token, token_type: 'Bearer', expires_in, refresh_token, scope: scopes.join(' ') }
  }

  /**
   * Uses a code or a refresh token. `accept` returns whether it may be used; otherwise its connection ends.
   * @throws OAuthFault invalid_grant
   */
  const use = async (kind: Kind, token: string, clientId: string, accept: (row: TokenRow) => boolean) => {
    const [hash, now] = [hashOf(token), new Date(clock())]
    const tokens = await transaction(database, async (tx) => {
      const [row] = await tx.query<TokenRow>(READ, [hash, kind, now])
      // A client that holds the token of another learns nothing, and ends nothing.
      if (row?.client_id !== clientId) return undefined
      await tx.query('update connection_token set used_at = coalesce(used_at, $2) where hash = $1', [hash, now])
      if (row.is_valid && accept(row)) return renew(tx, row)
      await tx.query('update api_key set ended_at = $2 where id = $1', [row.key_id, now])
      return undefined
    })
    if (!tokens) throw refused()
    return tokens
  }

  return { issue, use }
}
