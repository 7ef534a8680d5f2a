import type pg from 'pg'
import * as z from 'zod/mini'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { Guard } from '../../kernel/http/outgoing/guardedRequest.ts'
import { limitSize } from '../../kernel/limitSize.ts'
import { cleanLine } from '../../kernel/text/typedText.contract.ts'
import type { Clock } from '../../kernel/time.ts'
import { isRedirectUri } from './redirectUris.ts'

/** Largest document of a client, bytes. */
const MAX_DOCUMENT_BYTES = 5_120
const DOCUMENT_KEPT_MS = 5 * 60_000
const MAX_DOCUMENTS = 1_000
const MAX_NAME = 60
const MAX_URIS = 10
/** Registered clients that nobody uses yet. The oldest of more are removed. */
const MAX_UNUSED = 5_000
const CHECK_EVERY = 100

/** A program that asks to act for a user. */
export interface OAuthClient {
  readonly id: string
  readonly name: string
  /** Host that published its document and so vouches for its name; null if the client has only registered. */
  readonly host: string | null
  readonly redirectUris: readonly string[]
}

const RedirectUris = z.array(z.string().check(z.refine(isRedirectUri))).check(z.minLength(1), z.maxLength(MAX_URIS))
const Name = z.optional(z.string().check(z.maxLength(1_000)))
const Registration = z.object({ redirect_uris: RedirectUris, client_name: Name })
const Document = z.object({
  client_id: z.string(),
  redirect_uris: RedirectUris,
  client_name: Name,
  token_endpoint_auth_method: z._default(z.literal('none'), 'none'),
})

/** An error of RFC 7591 or RFC 6749, which clients receive by its code. */
export class OAuthFault extends Rejection {
  override name = 'OAuthFault'
}

const nameOf = (name: string | undefined, fallback: string) => cleanLine(name ?? '').slice(0, MAX_NAME) || fallback

interface ClientsOptions {
  readonly pool: Pick<pg.Pool, 'query'>
  readonly clock: Clock
  /** Requests the documents of clients. */
  readonly documents: Pick<Guard, 'send' | 'check'>
}

export type Clients = ReturnType<typeof createClients>

/**
 * Creates the programs that may ask users for access: those that publish a document at their id, and those that register.
 * See docs/decisions/0075-assistants-and-connections.md.
 */
export function createClients({ pool, clock, documents }: ClientsOptions) {
  const published = createPublished({ clock, documents })

  /** Removes registered clients that no connection uses: after a day, or the oldest of too many. */
  const removeUnused = async (): Promise<void> => {
    const isUnused = 'not exists (select from api_key where client_id = c.id::text)'
    await pool.query(
      `delete from oauth_client c where created_at < $1::timestamptz - interval '1 day' and ${isUnused}`,
      [new Date(clock())],
    )
    await pool.query(
      `delete from oauth_client where id in
         (select id from oauth_client c where ${isUnused} order by created_at desc offset $1)`,
      [MAX_UNUSED],
    )
  }
  let registered = 0

  return {
    /** Registers a client (RFC 7591). @throws OAuthFault */
    async register(metadata: unknown) {
      const parsed = z.safeParse(Registration, metadata)
      if (!parsed.success) {
        const isUri = parsed.error.issues.some(({ path }) => path[0] === 'redirect_uris')
        throw new OAuthFault(
          isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata',
          `Send client_name and 1 to ${MAX_URIS} redirect_uris: https, http on this computer, or the scheme of a program.`,
        )
      }
      const { redirect_uris, client_name } = parsed.data
      const [client_id, now] = [uuid7(), new Date(clock())]
      const name = nameOf(client_name, 'Unnamed program')
      await pool.query('insert into oauth_client (id, name, redirect_uris, created_at) values ($1, $2, $3, $4)', [
        ...[client_id, name, redirect_uris, now],
      ])
      if (++registered % CHECK_EVERY === 0) await removeUnused()
      return {
        ...{ client_id, client_name: name, redirect_uris },
        client_id_issued_at: Math.floor(now.getTime() / 1000),
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }
    },

    /** Returns a client by its id; undefined if it is unknown or its document cannot be used. */
    async find(id: string): Promise<OAuthClient | undefined> {
      if (isUuid(id)) {
        const { rows } = await pool.query<{ name: string; redirect_uris: string[] }>(
          'select name, redirect_uris from oauth_client where id = $1',
          [id],
        )
        return rows[0] && { id, name: rows[0].name, host: null, redirectUris: rows[0].redirect_uris }
      }
      return published(id)
    },

    removeUnused,
  }
}

/** Creates the lookup of clients by their documents, which are remembered for a while. */
function createPublished({ clock, documents }: Omit<ClientsOptions, 'pool'>) {
  const known = new Map<string, { readonly client: OAuthClient; readonly until: number }>()

  const fetchDocument = async (id: string): Promise<OAuthClient> => {
    const url = documents.check(id)
    // An address that the server or a browser would spell otherwise is another id.
    if (url.href !== id || url.pathname === '/' || url.hash) throw new Error('the id of the client is no plain address')
    const { status, body } = await documents.send(id, { headers: { accept: 'application/json' }, timeoutMs: 5_000 })
    if (status !== 200 || Buffer.byteLength(body) > MAX_DOCUMENT_BYTES)
      throw new Error(`the document has status ${status}`)
    const document = z.parse(Document, JSON.parse(body))
    if (document.client_id !== id) throw new Error('the document belongs to another client')
    const { redirect_uris: redirectUris, client_name } = document
    return { id, name: nameOf(client_name, url.hostname), host: url.host, redirectUris }
  }

  return async (id: string): Promise<OAuthClient | undefined> => {
    const remembered = known.get(id)
    if (remembered && remembered.until > clock()) return remembered.client
    const client = await fetchDocument(id).catch(() => undefined)
    if (!client) return undefined
    known.set(id, { client, until: clock() + DOCUMENT_KEPT_MS })
    limitSize(known, MAX_DOCUMENTS)
    return client
  }
}
