import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { CHANGE_CHANNEL } from '../../kernel/postgres/changes.ts'
import type { Database } from '../../kernel/postgres/orm.ts'

export const ACCESS_SECONDS = 8 * 3600
export const REFRESH_SECONDS = 30 * 24 * 3600
/**
 * Tabs that refresh at the same time send the same token, or the one that another tab has just got: so long, nothing is
 * rotated again and the successor is given out.
 */
const GRACE_SECONDS = 30
/** A session's last use is noted at most so often. */
const NOTED_EVERY_MS = 5 * 60_000
/** The name under which ended sessions are told, by user: their sockets are let go. */
export const ENDED_SESSIONS = 'endedSessions'

export interface SessionTokens {
  readonly access: string
  readonly refresh: string
}

export interface SignedIn {
  readonly userId: string
  readonly sessionId: string
}

export interface SessionRow {
  readonly id: string
  readonly userAgent: string
  readonly createdAt: Date
  readonly lastUsedAt: Date
}

export interface Sessions {
  open(userId: string, userAgent: string): Promise<SessionTokens>
  /** Who an access token stands for: undefined when it is forged, over, or its session has ended. */
  authenticate(access: string | undefined): Promise<SignedIn | undefined>
  /** The next tokens. Used again later, a refresh token was stolen from someone: its session ends for both. */
  refresh(refresh: string | undefined): Promise<SessionTokens | undefined>
  /** The user's sessions that can still be used, the last used first. */
  list(userId: string): Promise<SessionRow[]>
  /** Ends one session of a user, and says whether there was one. */
  endOne(userId: string, sessionId: string): Promise<boolean>
  /** Ends every session of a user but one. */
  endOthers(userId: string, keptSessionId: string): Promise<void>
  end(tokens: { access: string | undefined; refresh: string | undefined }): Promise<void>
}

/** Ends sessions of a user, in a transaction of the caller's: all, or those that are asked for. */
export async function endSessions(
  tx: EntityManager,
  userId: string,
  at: Date,
  { only, but }: { only?: string; but?: string } = {},
): Promise<number> {
  const ended = await tx.execute<object[]>(
    `update session set ended_at = ? where user_id = ? and ended_at is null
     and (?::uuid is null or id = ?) and (?::uuid is null or id <> ?) returning id`,
    [at, userId, only ?? null, only ?? null, but ?? null, but ?? null],
  )
  const news = JSON.stringify({ name: ENDED_SESSIONS, ids: [userId] })
  if (ended.length > 0) await tx.execute('select pg_notify(?, ?)', [CHANGE_CHANNEL, news])
  return ended.length
}

/**
 * Sessions are rows; tokens are `<session>.<number>.<mac>` and are stored nowhere. An access token's number is the
 * second it ends at, a refresh token's the generation it belongs to.
 */
export function createSessions(database: Database, secret: string, now: () => number = Date.now): Sessions {
  const macOf = (kind: string, session: string, number: number) =>
    createHmac('sha256', secret).update(`${kind}.${session}.${number}`).digest('base64url')
  const token = (kind: string, session: string, number: number) =>
    `${session}.${number}.${macOf(kind, session, number)}`

  const read = (kind: string, text: string | undefined) => {
    const [, session, number, mac] = /^([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/.exec(text ?? '') ?? []
    if (!session || !mac) return undefined
    const genuine = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(kind, session, Number(number))))
    return genuine ? { session, number: Number(number) } : undefined
  }

  const tokens = (session: string, generation: number): SessionTokens => ({
    access: token('access', session, Math.floor(now() / 1000) + ACCESS_SECONDS),
    refresh: token('refresh', session, generation),
  })

  const ago = (seconds: number) => new Date(now() - seconds * 1000)

  const execute = <T extends object>(sql: string, parameters: unknown[]) =>
    database.em.fork().execute<T[]>(sql, parameters)

  const endSession = async (id: string) => {
    const [row] = await execute<{ user_id: string }>('select user_id from session where id = ?', [id])
    if (row) await endSessions(database.em.fork(), row.user_id, new Date(now()), { only: id })
  }

  return {
    async open(userId, userAgent) {
      const id = uuid7(now())
      const at = new Date(now())
      await execute(
        `insert into session (id, user_id, generation, created_at, rotated_at, last_used_at, user_agent)
         values (?, ?, 0, ?, ?, ?, ?)`,
        [id, userId, at, at, at, userAgent.slice(0, 300)],
      )
      return tokens(id, 0)
    },

    async authenticate(access) {
      const claim = read('access', access)
      if (!claim || claim.number < now() / 1000) return undefined
      const [row] = await execute<{ user_id: string; last_used_at: Date }>(
        'select user_id, last_used_at from session where id = ? and ended_at is null',
        [claim.session],
      )
      if (row && now() - new Date(row.last_used_at).getTime() > NOTED_EVERY_MS)
        await execute('update session set last_used_at = ? where id = ?', [new Date(now()), claim.session])
      return row && { userId: row.user_id, sessionId: claim.session }
    },

    async refresh(refresh) {
      const claim = read('refresh', refresh)
      if (!claim) return undefined
      const at = new Date(now())
      const [rotated] = await execute(
        `update session set generation = generation + 1, rotated_at = ?, last_used_at = ?
         where id = ? and generation = ? and ended_at is null and rotated_at > ?
           and (generation = 0 or rotated_at <= ?) returning id`,
        [at, at, claim.session, claim.number, ago(REFRESH_SECONDS), ago(GRACE_SECONDS)],
      )
      if (rotated) return tokens(claim.session, claim.number + 1)
      const [row] = await execute<{ generation: number; rotated_at: Date }>(
        'select generation, rotated_at from session where id = ? and ended_at is null',
        [claim.session],
      )
      if (!row) return undefined
      const justRotated = new Date(row.rotated_at) > ago(GRACE_SECONDS)
      if (justRotated && row.generation - claim.number <= 1) return tokens(claim.session, row.generation)
      // The current one, but too old.
      if (row.generation === claim.number) return undefined
      await endSession(claim.session)
      return undefined
    },

    async list(userId) {
      const rows = await execute<{ id: string; user_agent: string; created_at: Date; last_used_at: Date }>(
        `select id, user_agent, created_at, last_used_at from session
         where user_id = ? and ended_at is null and rotated_at > ? order by last_used_at desc, id desc limit 100`,
        [userId, ago(REFRESH_SECONDS)],
      )
      return rows.map(({ id, user_agent: userAgent, created_at, last_used_at }) => {
        return { id, userAgent, createdAt: new Date(created_at), lastUsedAt: new Date(last_used_at) }
      })
    },

    async endOne(userId, sessionId) {
      return (await endSessions(database.em.fork(), userId, new Date(now()), { only: sessionId })) > 0
    },

    async endOthers(userId, keptSessionId) {
      await endSessions(database.em.fork(), userId, new Date(now()), { but: keptSessionId })
    },

    async end({ access, refresh }) {
      const claim = read('access', access) ?? read('refresh', refresh)
      if (claim) await endSession(claim.session)
    },
  }
}
