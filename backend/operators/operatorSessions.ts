import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type pg from 'pg'
import type { OperatorRole } from '../kernel/http/contract.ts'
import type { OperatorCaller } from '../kernel/http/endpoint.ts'
import { type Changes, RELISTENED } from '../kernel/postgres/changes.ts'
import { notify } from '../kernel/postgres/notify.ts'

const SESSION_SECONDS = 12 * 3600
const DEVICE_SECONDS = 365 * 24 * 3600
/** Time after a step-up in which sensitive actions are allowed. */
const STEP_UP_MS = 10 * 60_000
/** Cache lifetime of an open session, ms. Signing out removes it from the cache of every process. */
const CACHED_MS = 10_000
/** Name of the change notification for ended sessions. */
const ENDED = 'endedOperatorSessions'

interface SessionsOptions {
  readonly secure: boolean
  /** SESSION_SECRET and the operator's password. A session ends when one of them changes. */
  readonly secret: string
  readonly password: string
  /** Name of the operator of the environment, of whom sessions of earlier versions are. */
  readonly username: string
  readonly deviceKey: Buffer
}

/** Returns the function that makes the stored hash of a token. Its key changes with SESSION_SECRET and the operator's password. */
export function tokenHasher({ secret, password }: Pick<SessionsOptions, 'secret' | 'password'>) {
  const key = createHmac('sha256', secret).update(`operator sessions ${password}`).digest()
  return (token: string): string => createHmac('sha256', key).update(token).digest('hex')
}

/** Creates the cookies of the session's token and of the device. */
function createCookies({ secure, deviceKey }: Pick<SessionsOptions, 'secure' | 'deviceKey'>) {
  const cookie = secure ? '__Host-kinora_operator' : 'kinora_operator'
  const deviceCookie = `${cookie}_device`
  const macOf = (device: string) => createHmac('sha256', deviceKey).update(device).digest('base64url')
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, overwrite: true } as const
  const setCookie = (ctx: Context, name: string, value: string | null, seconds: number) => {
    // Koa refuses to set secure cookies on the unencrypted connection from a proxy unless this is set.
    ctx.cookies.secure = secure
    ctx.cookies.set(name, value, { ...options, maxAge: seconds * 1000 })
  }
  const setToken = (ctx: Context, token: string | null) => setCookie(ctx, cookie, token, SESSION_SECONDS)
  const deviceOf = (ctx: Context): string | undefined => {
    const [, device, mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(ctx.cookies.get(deviceCookie) ?? '') ?? []
    return device && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(device))) ? device : undefined
  }
  const rememberDevice = (ctx: Context) => {
    const device = deviceOf(ctx) ?? randomUUID()
    setCookie(ctx, deviceCookie, `${device}.${macOf(device)}`, DEVICE_SECONDS)
  }

  return { tokenOf: (ctx: Context) => ctx.cookies.get(cookie), setToken, deviceOf, rememberDevice }
}

/** Stores a session, and deletes those that have expired. */
async function insertSession(
  pool: Pick<pg.Pool, 'query'>,
  hash: string,
  { id, name, role }: OperatorCaller,
  steppedUp: boolean,
): Promise<void> {
  const now = new Date()
  await pool.query('delete from operator_session where expires_at < $1', [now])
  const row = [hash, now, new Date(now.getTime() + SESSION_SECONDS * 1000), steppedUp ? now : null, id, name, role]
  const sql = `insert into operator_session (hash, created_at, expires_at, stepped_up_at, operator_id, name, role)
    values ($1, $2, $3, $4, $5, $6, $7)`
  await pool.query(sql, row)
}

type Open = Map<string, OperatorCaller & { readonly until: number }>

/** Creates the function that returns the operator of a session, by the hash of its token. */
const createFinder = (pool: Pick<pg.Pool, 'query'>, open: Open, username: string) => async (hash: string) => {
  const now = Date.now()
  const known = open.get(hash)
  if (known && known.until > now) return known
  const { rows } = await pool.query<{ expires_at: Date; id: string; name: string | null; role: OperatorRole }>({
    name: 'operator-session',
    text: 'select expires_at, operator_id as id, name, role from operator_session where hash = $1 and expires_at > $2',
    values: [hash, new Date(now)],
  })
  open.delete(hash)
  if (!rows[0]) return undefined
  const { expires_at, id, name, role } = rows[0]
  const until = Math.min(expires_at.getTime(), now + CACHED_MS)
  const found = { id, name: name ?? username, role, until }
  open.set(hash, found)
  return found
}

/** Creates the changes of all sessions of an operator, which every process sees immediately. */
const createChanges = (pool: Pick<pg.Pool, 'query'>, open: Open) => {
  const change = async (sql: string, values: readonly string[]) => {
    const { rows } = await pool.query<{ hash: string }>(`${sql} where operator_id = $1 returning hash`, [...values])
    for (const { hash } of rows) open.delete(hash)
    if (rows.length > 0) await notify(pool, { name: ENDED, ids: rows.map(({ hash }) => hash) })
  }
  return {
    endAll: (operatorId: string) => change('delete from operator_session', [operatorId]),
    setRole: (operatorId: string, role: OperatorRole) =>
      change('update operator_session set role = $2', [operatorId, role]),
  }
}

const createStepUps = (pool: Pick<pg.Pool, 'query'>, idOf: (ctx: Context) => string) => ({
  /** Records that the session proved the second factor. */
  async stepUp(ctx: Context): Promise<void> {
    const row = [idOf(ctx), new Date()]
    await pool.query('update operator_session set stepped_up_at = $2 where hash = $1', row)
  },

  /** Returns whether the session proved the second factor in the last ten minutes. */
  async isSteppedUp(ctx: Context): Promise<boolean> {
    const row = [idOf(ctx), new Date(Date.now() - STEP_UP_MS)]
    const sql = 'select 1 from operator_session where hash = $1 and stepped_up_at > $2'
    return (await pool.query(sql, row)).rowCount === 1
  },
})

/**
 * Manages the sessions of operators, who are not users. Rows contain only an HMAC of the token. Sessions expire by
 * the system clock, not the calendar. Over HTTPS the cookies are bound to this host (`__Host-`, RFC 6265bis). A second
 * cookie, `<device>.<mac>`, identifies a device that has signed in before; it does not authenticate the operator.
 */
export function createOperatorSessions(
  pool: Pick<pg.Pool, 'query'>,
  changes: Pick<Changes, 'subscribe'>,
  { secure, secret, password, username, deviceKey }: SessionsOptions,
) {
  const hashOf = tokenHasher({ secret, password })
  const cookies = createCookies({ secure, deviceKey })
  /** Open sessions with the expiry of the cache in epoch milliseconds, by token hash. */
  const open: Open = new Map()
  const find = createFinder(pool, open, username)
  changes.subscribe(({ name, ids }) => {
    if (name === ENDED) for (const hash of ids) open.delete(hash)
    // Notifications were lost while the connection was down.
    if (name === RELISTENED) open.clear()
  })
  const idOf = (ctx: Context): string => hashOf(cookies.tokenOf(ctx) ?? '')

  const end = async (ctx: Context): Promise<boolean> => {
    const token = cookies.tokenOf(ctx)
    if (!token) return false
    const hash = hashOf(token)
    open.delete(hash)
    const { rowCount } = await pool.query('delete from operator_session where hash = $1', [hash])
    await notify(pool, { name: ENDED, ids: [hash] })
    return rowCount === 1
  }

  return {
    /** Ends the session that the new one replaces. @param steppedUp whether the sign-in proved a second factor */
    async signIn(ctx: Context, operator: OperatorCaller, steppedUp: boolean): Promise<void> {
      await end(ctx)
      const token = randomBytes(32).toString('base64url')
      await insertSession(pool, hashOf(token), operator, steppedUp)
      cookies.setToken(ctx, token)
      cookies.rememberDevice(ctx)
    },

    /** Returns the id of a device that has signed in before; undefined for others. */
    deviceOf: cookies.deviceOf,

    /** Returns the id of the session, the hash of its token. */
    idOf,

    ...createStepUps(pool, idOf),
    ...createChanges(pool, open),

    /** Returns the operator who is signed in. */
    async current(ctx: Context): Promise<OperatorCaller | undefined> {
      return cookies.tokenOf(ctx) ? find(idOf(ctx)) : undefined
    },

    /** Ends the session and removes the cookie. Returns false if there was no session. */
    async signOut(ctx: Context): Promise<boolean> {
      const ended = await end(ctx)
      cookies.setToken(ctx, null)
      return ended
    },
  }
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>
