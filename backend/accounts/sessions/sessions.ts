import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { notify } from '../../kernel/postgres/notify.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import { OpenSessions } from './openSessions.ts'

export const ACCESS_SECONDS = 8 * 3600
export const REFRESH_SECONDS = 30 * 24 * 3600
/**
 * Grace period after a rotation, in which the previous refresh token returns the current one and no further rotation
 * happens. It keeps tabs that refresh concurrently signed in.
 */
const GRACE_SECONDS = 30
/** Minimum interval between two updates of a session's last use. */
const LAST_USE_PRECISION_MS = 5 * 60_000
/** Maximum life of a session, however often it is refreshed. */
export const SESSION_SECONDS = 90 * 24 * 3600
/** Time after a step-up in which sensitive actions are allowed. */
const STEP_UP_SECONDS = 10 * 60

/** Change notification for ended sessions, whose sockets are then closed. Its ids are session ids. */
export const ENDED_SESSIONS = 'endedSessions'

/** Tells all processes that sessions have ended, when the caller's transaction commits. */
export async function announceEnded(tx: EntityManager, sessionIds: readonly string[]): Promise<void> {
  OpenSessions.markEnding(sessionIds)
  if (sessionIds.length > 0) await notify(tx, { name: ENDED_SESSIONS, ids: sessionIds })
}

/** Ends all of a user's sessions, `only` one, or all `except` one, in the caller's transaction. Returns the number. */
export async function endSessions(
  tx: EntityManager,
  userId: string,
  at: Date,
  { only, except }: { only?: string; except?: string } = {},
): Promise<number> {
  const ended = await query<{ id: string }>(
    tx,
    `update session set ended_at = $1 where user_id = $2 and ended_at is null
     and ($3::uuid is null or id = $4) and ($5::uuid is null or id <> $6) returning id`,
    [at, userId, only ?? null, only ?? null, except ?? null, except ?? null],
  )
  await announceEnded(
    tx,
    ended.map(({ id }) => id),
  )
  return ended.length
}

/**
 * Deletes sessions whose 90 days are over, except the last one of each user: it shows that the account has been used, so
 * that a sign-in from a new device is announced.
 */
export async function deleteOldSessions(database: Database, now: Clock): Promise<void> {
  await query(
    database,
    `delete from session old where created_at < $1
     and exists (select from session later where later.user_id = old.user_id and later.id > old.id)`,
    [new Date(now() - SESSION_SECONDS * 1000)],
  )
}

export type SessionTokens = Readonly<{ access: string; refresh: string }>

/** Content of a genuine access token. `number` is its expiry in epoch seconds. */
type AccessClaim = Readonly<{ session: string; number: number }>

export type Sessions = ReturnType<typeof createSessions>

const agoBy = (now: Clock) => (seconds: number) => new Date(now() - seconds * 1000)

const executeIn =
  (database: Database) =>
  <T extends object>(sql: string, parameters: unknown[]) =>
    query<T>(database, sql, parameters)

type Tokens = ReturnType<typeof createTokens>

/** Creates the functions that issue and parse tokens. */
function createTokens(secret: string, now: Clock) {
  const key = createSecretKey(secret, 'utf8')
  const macOf = (kind: string, session: string, number: number) =>
    createHmac('sha256', key).update(`${kind}.${session}.${number}`).digest('base64url')
  const token = (kind: string, session: string, number: number) =>
    `${session}.${number}.${macOf(kind, session, number)}`

  const parse = (kind: string, text: string | undefined) => {
    const [, session, number, mac] = /^([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/.exec(text ?? '') ?? []
    if (!session || !mac) return undefined
    const isGenuine = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(kind, session, Number(number))))
    return isGenuine ? { session, number: Number(number) } : undefined
  }

  const issue = (session: string, generation: number): SessionTokens => ({
    access: token('access', session, Math.floor(now() / 1000) + ACCESS_SECONDS),
    refresh: token('refresh', session, generation),
  })

  return { parse, issue }
}

/** Ends a session. Returns its user; undefined if it had ended before. */
async function endSession(database: Database, id: string, at: Date): Promise<string | undefined> {
  const em = database.em.fork()
  const [row] = await query<{ user_id: string }>(em, 'select user_id from session where id = $1', [id])
  const ended = row && (await endSessions(em, row.user_id, at, { only: id }))
  return ended ? row.user_id : undefined
}

function createAuthentication(database: Database, tokens: Tokens, now: Clock) {
  const execute = executeIn(database)
  const ago = agoBy(now)
  const remembered = new OpenSessions(now)
  const isCurrent = (claim: AccessClaim | undefined): claim is AccessClaim =>
    claim !== undefined && claim.number >= now() / 1000

  return {
    /** Returns the claim of an access token, which may have expired; undefined if the token is not genuine. */
    verify: (access: string | undefined): AccessClaim | undefined => tokens.parse('access', access),

    /** Returns the session that an access token was issued for, which may have ended. Reads no database. */
    issuedFor: (claim: AccessClaim | undefined) => (isCurrent(claim) ? claim.session : undefined),

    /**
     * Returns the session of an access token; undefined if the token is invalid or the session has ended. One that another
     * process has ended may be returned for a second, if its notification is lost.
     */
    async authenticate(claim: AccessClaim | undefined): Promise<{ userId: string; sessionId: string } | undefined> {
      if (!isCurrent(claim)) return undefined
      const known = remembered.userOf(claim.session)
      if (known) return { userId: known, sessionId: claim.session }
      const [row] = await execute<{ user_id: string; last_used_at: Date }>(
        'select user_id, last_used_at from session where id = $1 and ended_at is null and created_at > $2',
        [claim.session, ago(SESSION_SECONDS)],
      )
      if (row && now() - new Date(row.last_used_at).getTime() > LAST_USE_PRECISION_MS)
        await execute('update session set last_used_at = $1 where id = $2', [new Date(now()), claim.session])
      if (row) remembered.add(claim.session, row.user_id)
      return row && { userId: row.user_id, sessionId: claim.session }
    },

    /** Looks sessions up again that another process has ended; all of them without ids. */
    forget: (ids?: readonly string[]) => remembered.forget(ids),
  }
}

function createRotations(database: Database, tokens: Tokens, now: Clock) {
  const execute = executeIn(database)
  const ago = agoBy(now)

  return {
    /**
     * Rotates the refresh token. Reuse of an older token ends the session, because the token may have been stolen.
     * @param onReuse called with the user whose session was ended
     * @returns undefined if the token is invalid or the session has ended
     */
    async refresh(
      refresh: string | undefined,
      onReuse: (userId: string) => Promise<void> = async () => {},
    ): Promise<SessionTokens | undefined> {
      const claim = tokens.parse('refresh', refresh)
      if (!claim) return undefined
      const at = new Date(now())
      const [rotated] = await execute(
        `update session set generation = generation + 1, rotated_at = $1, last_used_at = $2
         where id = $3 and generation = $4 and ended_at is null and created_at > $5 and rotated_at > $6
           and (generation = 0 or rotated_at <= $7) returning id`,
        [at, at, claim.session, claim.number, ago(SESSION_SECONDS), ago(REFRESH_SECONDS), ago(GRACE_SECONDS)],
      )
      if (rotated) return tokens.issue(claim.session, claim.number + 1)
      const [row] = await execute<{ generation: number; rotated_at: Date }>(
        'select generation, rotated_at from session where id = $1 and ended_at is null and created_at > $2',
        [claim.session, ago(SESSION_SECONDS)],
      )
      if (!row) return undefined
      const justRotated = new Date(row.rotated_at) > ago(GRACE_SECONDS)
      if (justRotated && row.generation - claim.number <= 1) return tokens.issue(claim.session, row.generation)
      const isExpired = row.generation === claim.number
      const reusedBy = isExpired ? undefined : await endSession(database, claim.session, at)
      if (reusedBy) await onReuse(reusedBy)
      return undefined
    },
  }
}

function createStepUps(database: Database, now: Clock) {
  const execute = executeIn(database)

  return {
    /** Records that the session proved a second factor. */
    async stepUp(sessionId: string): Promise<void> {
      await execute('update session set stepped_up_at = $1 where id = $2', [new Date(now()), sessionId])
    },

    /** Returns whether the session was opened in the last ten minutes. */
    async isFresh(sessionId: string): Promise<boolean> {
      const sql = 'select 1 from session where id = $1 and created_at > $2'
      return (await execute(sql, [sessionId, agoBy(now)(STEP_UP_SECONDS)])).length > 0
    },

    /** Returns whether the session proved a second factor in the last ten minutes. */
    async isSteppedUp(sessionId: string): Promise<boolean> {
      const sql = 'select 1 from session where id = $1 and stepped_up_at > $2'
      return (await execute(sql, [sessionId, agoBy(now)(STEP_UP_SECONDS)])).length > 0
    },
  }
}

/**
 * Creates the session store. Tokens have the form `<session>.<number>.<mac>` and are not stored. The number is the
 * expiry in epoch seconds in an access token, and the generation in a refresh token.
 */
export function createSessions(database: Database, secret: string, now: Clock = Date.now) {
  const tokens = createTokens(secret, now)
  const ago = agoBy(now)
  const execute = executeIn(database)

  return {
    /**
     * @param steppedUp whether the sign-in proved a second factor
     * @param since time of the last change of the password when it was checked
     * @throws Rejection unauthenticated, if the account was deleted or its password has changed since
     */
    async open(userId: string, userAgent: string, steppedUp = false, since?: Date | null) {
      const id = uuid7(now())
      const at = new Date(now())
      // The lock makes a concurrent deletion of the account, or change of its password, wait.
      const opened = await execute(
        `insert into session (id, user_id, generation, created_at, rotated_at, last_used_at, user_agent, stepped_up_at)
         select $1::uuid, id, 0, $2::timestamptz, $3::timestamptz, $4::timestamptz, $5, $6::timestamptz
         from user_account where id = $7 and ($8 or password_changed_at is not distinct from $9::timestamptz)
         for share returning id`,
        [id, at, at, at, userAgent.slice(0, 300), steppedUp ? at : null, userId, since === undefined, since ?? null],
      )
      if (opened.length === 0) throw new Rejection('unauthenticated', 'This account has changed. Please sign in again.')
      return tokens.issue(id, 0)
    },

    ...createAuthentication(database, tokens, now),
    ...createRotations(database, tokens, now),
    ...createStepUps(database, now),

    /** Returns up to 100 of the user's active sessions, most recently used first. */
    list(userId: string) {
      return execute<{ id: string; user_agent: string; created_at: string; last_used_at: string }>(
        `select id, user_agent, created_at, last_used_at from session
         where user_id = $1 and ended_at is null and rotated_at > $2 and created_at > $3 order by last_used_at desc, id desc limit 100`,
        [userId, ago(REFRESH_SECONDS), ago(SESSION_SECONDS)],
      )
    },

    async isOpen(sessionId: string): Promise<boolean> {
      const rows = await execute('select from session where id = $1 and ended_at is null and created_at > $2', [
        sessionId,
        ago(SESSION_SECONDS),
      ])
      return rows.length > 0
    },

    /** Ends one of a user's sessions. @returns false if the user has no such open session */
    async endOne(userId: string, sessionId: string): Promise<boolean> {
      return (await endSessions(database.em.fork(), userId, new Date(now()), { only: sessionId })) > 0
    },

    async endOthers(userId: string, keptSessionId: string): Promise<void> {
      await endSessions(database.em.fork(), userId, new Date(now()), { except: keptSessionId })
    },

    /** Ends the session of the access token or, if that is invalid, of the refresh token. Returns its user. */
    async end({ access, refresh }: { access: string | undefined; refresh: string | undefined }) {
      const claim = tokens.parse('access', access) ?? tokens.parse('refresh', refresh)
      return claim && endSession(database, claim.session, new Date(now()))
    },
  }
}
