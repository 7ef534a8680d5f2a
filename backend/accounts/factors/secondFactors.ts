import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query, queryOne } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import type { UserKeys } from '../keys/userKeys.ts'
import type { Factors, Method } from '../secondFactors.contract.ts'
import type { Passkeys } from './passkeys.ts'
import { hashOfCode, newRecoveryCodes, plainCode } from './recoveryCodes.ts'
import { newSecret, setupOf, stepOf } from './totp.ts'

const aboutSecret = (owner: string) => ({ purpose: 'authenticator', userId: owner, row: owner })

interface SecondFactorsOptions {
  readonly database: Database
  readonly passkeys: Passkeys
  /** Encrypts secrets with the owner's key. */
  readonly userKeys: Pick<UserKeys, 'encrypt' | 'tryDecrypt'>
  readonly now?: Clock
}

export type SecondFactors = ReturnType<typeof createSecondFactors>

/** The factors of the owner `$1`. */
const FACTORS = `(select from authenticator where owner = $1 and confirmed_at is not null
  union all select from passkey where owner = $1) as factor`

const wrongCode = () => new ValidationError([{ path: 'code', code: 'wrong_code' }])

async function replaceCodes(em: EntityManager, owner: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  await lockCodes(em, owner)
  await query(em, 'delete from recovery_code where owner = $1', [owner])
  for (const code of codes)
    await query(em, 'insert into recovery_code (hash, owner) values ($1, $2)', [hashOfCode(code), owner])
  return codes
}

/** Makes codes for a first factor, whatever is stored: the owner has never seen those. */
async function firstCodes(em: EntityManager, owner: string): Promise<string[]> {
  const sql = `select (select count(*)::int from ${FACTORS}) as factors,
    (select count(*)::int from recovery_code where owner = $1) as codes`
  const { factors, codes } = await queryOne<{ factors: number; codes: number }>(em, sql, [owner])
  return factors > 1 && codes > 0 ? [] : replaceCodes(em, owner)
}

async function spendRecoveryCode(em: EntityManager, owner: string, code: string): Promise<boolean> {
  const sql = 'delete from recovery_code where hash = $1 and owner = $2 returning owner'
  return (await query<object>(em, sql, [hashOfCode(code), owner])).length > 0
}

/** Creates the owners' authenticator apps. */
function createAuthenticator({ database, userKeys, now = Date.now }: SecondFactorsOptions) {
  const secretOf = async (owner: string, confirmed: boolean): Promise<string | undefined> => {
    const sql = 'select sealed from authenticator where owner = $1 and (confirmed_at is not null) = $2'
    const [row] = await query<{ sealed: string }>(database, sql, [owner, confirmed])
    return row && userKeys.tryDecrypt(aboutSecret(owner), row.sealed)
  }

  return {
    /** Accepts a code once. Later steps cannot be followed by earlier ones. */
    async accept(owner: string, code: string): Promise<boolean> {
      const secret = await secretOf(owner, true)
      const step = secret && stepOf(secret, code, now())
      if (!step) return false
      const sql = 'update authenticator set last_step = $1 where owner = $2 and last_step < $3 returning owner'
      return (await query<object>(database, sql, [step, owner, step])).length > 0
    },

    /** Makes a secret, which counts once it is confirmed. Replaces an unconfirmed one. @throws Rejection factor_exists */
    async begin(owner: string, label: string) {
      const secret = newSecret()
      const begun = await query<object>(
        database,
        `insert into authenticator as a (owner, sealed, created_at) values ($1, $2, now())
         on conflict (owner) do update set sealed = excluded.sealed, created_at = now()
         where a.confirmed_at is null returning owner`,
        [owner, await userKeys.encrypt(aboutSecret(owner), secret)],
      )
      if (begun.length === 0) throw new Rejection('factor_exists', 'An authenticator app is already set up.')
      return setupOf(secret, label)
    },

    /**
     * Turns the authenticator app on. Returns new recovery codes with the first factor, or if none are left.
     * @throws ValidationError wrong_code
     */
    async confirm(owner: string, code: string): Promise<string[]> {
      const secret = await secretOf(owner, false)
      const step = secret && stepOf(secret, plainCode(code), now())
      if (!step) throw wrongCode()
      return database.em.fork().transactional(async (tx) => {
        const confirmed = await query<object>(
          tx,
          `update authenticator set confirmed_at = now(), created_at = now(), last_step = $1 where owner = $2 and confirmed_at is null
           returning owner`,
          [step, owner],
        )
        if (confirmed.length === 0) throw wrongCode()
        return firstCodes(tx, owner)
      })
    },

    /** Turns the authenticator app off, and removes the recovery codes with the last factor. Returns whether it was on. */
    remove: (owner: string): Promise<boolean> =>
      database.em.fork().transactional(async (tx) => {
        const sql = 'delete from authenticator where owner = $1 returning confirmed_at'
        const [removed] = await query<{ confirmed_at: Date | null }>(tx, sql, [owner])
        await removeIdleCodes(tx, owner)
        return Boolean(removed?.confirmed_at)
      }),
  }
}

/**
 * Creates the service that sets up and checks second factors. An owner is a user's id, or the operator's. See
 * docs/decisions/0019-second-factors.md.
 */
export function createSecondFactors(options: SecondFactorsOptions) {
  const { database, passkeys } = options
  const authenticator = createAuthenticator(options)

  const list = async (owner: string): Promise<Omit<Factors, 'missing'>> => {
    const row = await queryOne<Pick<Factors, 'totp' | 'recovery_codes'>>(
      database,
      `select exists (select from authenticator where owner = $1 and confirmed_at is not null) as totp,
         (select count(*)::int from recovery_code where owner = $1) as recovery_codes`,
      [owner],
    )
    return { ...row, passkeys: await passkeys.list(owner) }
  }

  return {
    list,

    /** Returns how the owner can prove a second factor; empty if none is set up. */
    async methods(owner: string): Promise<Method[]> {
      const state = await list(owner)
      const factors: Method[] = [
        ...(state.passkeys.length > 0 ? ['passkey' as const] : []),
        ...(state.totp ? ['totp' as const] : []),
      ]
      return factors.length > 0 && state.recovery_codes > 0 ? [...factors, 'recovery_code'] : factors
    },

    /** Stores a passkey. Returns new recovery codes with the first factor, or if none are left. */
    async addPasskey(
      ctx: Context,
      session: string,
      owner: string,
      name: string,
      credential: object,
    ): Promise<string[]> {
      await passkeys.add(ctx, session, owner, name, credential)
      return database.em.fork().transactional((tx) => firstCodes(tx, owner))
    },

    /** Removes a passkey, and the recovery codes with the last factor. @throws Rejection not_found */
    async removePasskey(owner: string, id: string): Promise<void> {
      await passkeys.remove(owner, id)
      await database.em.fork().transactional((tx) => removeIdleCodes(tx, owner))
    },

    passkeys,

    /** Accepts a code once, and returns its kind. @throws ValidationError wrong_code */
    async verify(owner: string, entered: string): Promise<Method> {
      const code = plainCode(entered)
      const isTotp = /^\d{6}$/.test(code)
      const accepted = isTotp
        ? await authenticator.accept(owner, code)
        : await spendRecoveryCode(database.em.fork(), owner, code)
      if (!accepted) throw wrongCode()
      return isTotp ? 'totp' : 'recovery_code'
    },

    beginTotp: authenticator.begin,
    confirmTotp: authenticator.confirm,
    removeTotp: authenticator.remove,

    renewCodes: (owner: string): Promise<string[]> => database.em.fork().transactional((tx) => replaceCodes(tx, owner)),
  }
}

/**
 * Lets transactions that delete an owner's recovery codes run one after another. A concurrent replacement would not see
 * new codes, so both sets would stay, and two deletions that meet the rows in different orders would deadlock.
 */
const lockCodes = (tx: EntityManager, owner: string) =>
  query(tx, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`recovery codes of ${owner}`])

/** Deletes recovery codes that have no factor left to replace. */
async function removeIdleCodes(tx: EntityManager, owner: string): Promise<void> {
  await lockCodes(tx, owner)
  await query(tx, `delete from recovery_code where owner = $1 and not exists (select from ${FACTORS})`, [owner])
}

/** Deletes the second factors and recovery codes of an owner that are younger than a time, in the caller's transaction. */
export async function eraseFactors(tx: EntityManager, owner: string, after = new Date(0)): Promise<void> {
  for (const table of ['authenticator', 'passkey'])
    await query(tx, `delete from ${table} where owner = $1 and created_at > $2`, [owner, after])
  await removeIdleCodes(tx, owner)
  await query(tx, 'delete from recovery_code where owner = $1 and created_at > $2', [owner, after])
}
