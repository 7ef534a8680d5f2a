import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import { createThread } from '../../kernel/threads/callThread.ts'
import type { Passkey } from '../secondFactors.contract.ts'
import type { Challenges } from './challenges.ts'
import type { WebauthnFunctions } from './webauthnThread.ts'

const MAX_PASSKEYS = 20
/** Loading the library takes 65 ms. */
const inThread = createThread<WebauthnFunctions>(new URL('./webauthnThread.ts', import.meta.url))

const refused = () => new Rejection('passkey_refused', 'The passkey was not accepted. Please try again.')

/** Checks an answer. Whatever is wrong with it is a refusal, but not that its challenge could not be looked up. */
async function checked<T>(
  accept: (challenge: string) => Promise<boolean>,
  check: (isExpected: (challenge: unknown) => Promise<boolean>) => Promise<T>,
): Promise<T> {
  let fault: unknown
  const isExpected = async (challenge: unknown) =>
    typeof challenge === 'string' &&
    accept(challenge).catch((error) => {
      fault = error
      throw error
    })
  return check(isExpected).catch(() => {
    throw fault ?? refused()
  })
}

/** Returns whether a value can be a credential id: base64url. Postgres rejects some other texts. */
const isCredentialId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,1400}$/.test(id)

interface Stored {
  readonly id: string
  readonly owner: string
  readonly public_key: string
  readonly counter: string
  readonly transports: string[]
}
type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>

export type Passkeys = ReturnType<typeof createPasskeys>

function siteOf(publicUrl: string) {
  const { hostname, origin } = new URL(publicUrl)
  return { expectedRPID: hostname, expectedOrigin: origin }
}

/** Returns the ids of the owner's passkeys. @throws Rejection too_many_passkeys, if there is no room for one more */
async function idsWithRoom(em: EntityManager, owner: string) {
  const existing = await query<{ id: string }>(em, 'select id from passkey where owner = $1', [owner])
  if (existing.length >= MAX_PASSKEYS)
    throw new Rejection('too_many_passkeys', 'You have 20 passkeys. Please remove one first.')
  return existing
}

const createAdditions = (database: Database, challenges: Challenges, publicUrl: () => string) => ({
  /** Returns the options with which a browser creates a passkey. `session` is the session that adds it. */
  async creationOptions(ctx: Context, session: string, owner: string, label: string): Promise<object> {
    const existing = await idsWithRoom(database.em.fork(), owner)
    const options = {
      rpName: 'Kinora',
      rpID: siteOf(publicUrl()).expectedRPID,
      userName: label,
      userID: new TextEncoder().encode(owner),
      challenge: Buffer.from(challenges.issue(ctx, session), 'base64url'),
      attestationType: 'none',
      excludeCredentials: existing,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    }
    return inThread('registrationOptions', [options])
  },

  /** Stores a passkey that the browser has created. @throws Rejection passkey_refused, too_many_passkeys */
  async add(ctx: Context, session: string, owner: string, name: string, credential: object): Promise<void> {
    const answer = {
      response: credential as RegistrationResponseJSON,
      ...siteOf(publicUrl()),
      requireUserVerification: true,
    }
    const { registrationInfo: created } = await checked(
      (challenge) => challenges.accept(ctx, challenge, session),
      (isExpected) => inThread('verifyRegistration', [answer], isExpected),
    )
    if (!created) throw refused()
    const { id, publicKey, counter, transports = [] } = created.credential
    const key = Buffer.from(publicKey).toString('base64url')
    await database.em.fork().transactional(async (tx) => {
      // Concurrent additions would count the same passkeys.
      await query(tx, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`passkeys of ${owner}`])
      await idsWithRoom(tx, owner)
      const added = await query<object>(
        tx,
        `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
         values ($1, $2, $3, $4, $5, array(select jsonb_array_elements_text($6::jsonb)), now())
         on conflict do nothing returning id`,
        [id, owner, name, key, counter, JSON.stringify(transports)],
      )
      if (added.length === 0) throw refused()
    })
  },
})

function createChecks(database: Database, challenges: Challenges, publicUrl: () => string) {
  const options = (challenge: string): Promise<object> =>
    inThread('authenticationOptions', [
      {
        rpID: siteOf(publicUrl()).expectedRPID,
        challenge: Buffer.from(challenge, 'base64url'),
        userVerification: 'required',
      },
    ])

  /** Checks a passkey's answer to a challenge and its counter. Returns its owner. @throws Rejection passkey_refused */
  async function prove(credential: object, accept: (challenge: string) => Promise<boolean>): Promise<string> {
    const response = credential as AuthenticationResponseJSON
    const sql = 'select id, owner, public_key, counter, transports from passkey where id = $1'
    const [stored] = isCredentialId(response.id) ? await query<Stored>(database, sql, [response.id]) : []
    if (!stored) throw refused()
    const answer = {
      response,
      ...siteOf(publicUrl()),
      credential: {
        id: stored.id,
        publicKey: new Uint8Array(Buffer.from(stored.public_key, 'base64url')),
        counter: Number(stored.counter),
        transports: stored.transports as Transports,
      },
      requireUserVerification: true,
    }
    const { verified, authenticationInfo } = await checked(accept, (isExpected) =>
      inThread('verifyAuthentication', [answer], isExpected),
    )
    if (!verified) throw refused()
    const counted = await query<object>(
      database,
      `update passkey set counter = $1, last_used_at = now() where id = $2 and (counter < $3 or (counter = 0 and $4 = 0))
       returning id`,
      [authenticationInfo.newCounter, stored.id, authenticationInfo.newCounter, authenticationInfo.newCounter],
    )
    if (counted.length === 0) throw refused()
    return stored.owner
  }

  return {
    /** Returns the options with which a browser uses a passkey. */
    requestOptions: (ctx: Context): Promise<object> => options(challenges.issue(ctx)),

    /** Returns the owner of a passkey that answers a challenge of this browser. @throws Rejection passkey_refused */
    verify: (ctx: Context, credential: object): Promise<string> =>
      prove(credential, (challenge) => challenges.accept(ctx, challenge)),

    /** Returns the options with which a browser signs a challenge, in base64url, that is the hash of a text. */
    signOptions: options,

    /** Returns the owner of the passkey that signed a challenge. @throws Rejection passkey_refused */
    verifySigned: (credential: object, expected: string): Promise<string> =>
      prove(credential, async (challenge) => challenge === expected),

    /** Returns the public keys of the owner's passkeys, DER (SPKI) in base64, by credential id. */
    async publicKeys(owner: string): Promise<Readonly<Record<string, string>>> {
      const sql = 'select id, public_key from passkey where owner = $1 order by created_at, id'
      const rows = await query<Pick<Stored, 'id' | 'public_key'>>(database, sql, [owner])
      const keys = rows.map(async ({ id, public_key }) => [id, await inThread('publicKeyOf', [public_key])] as const)
      return Object.fromEntries(await Promise.all(keys))
    },
  }
}

/**
 * Creates the service that registers and checks passkeys (WebAuthn). The relying party is the host of the public URL, and
 * user verification is required, so a passkey alone is two factors.
 */
export function createPasskeys(database: Database, challenges: Challenges, publicUrl: () => string) {
  return {
    /** Returns the owner's passkeys, oldest first. */
    async list(owner: string): Promise<Passkey[]> {
      const rows = await query<Passkey>(
        database,
        'select id, name, created_at, last_used_at from passkey where owner = $1 order by created_at, id',
        [owner],
      )
      const iso = (time: string) => new Date(time).toISOString()
      return rows.map((row) => ({
        ...row,
        created_at: iso(row.created_at),
        last_used_at: row.last_used_at && iso(row.last_used_at),
      }))
    },

    ...createAdditions(database, challenges, publicUrl),
    ...createChecks(database, challenges, publicUrl),

    /** Removes one of the owner's passkeys. @throws Rejection not_found */
    async remove(owner: string, id: string): Promise<void> {
      const sql = 'delete from passkey where owner = $1 and id = $2 returning id'
      if (!isCredentialId(id) || (await query<object>(database, sql, [owner, id])).length === 0)
        throw new Rejection('not_found', 'This passkey was already removed.')
    },
  }
}
