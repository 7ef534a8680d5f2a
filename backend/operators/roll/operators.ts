import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import type { Handle } from '../../kernel/eventsourcing/handle.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { OperatorRole } from '../../kernel/http/contract.ts'
import type { OperatorCaller } from '../../kernel/http/endpoint.ts'
import type { Calendar } from '../../kernel/time.ts'
import type { OperatorRollCommand } from '../commands.ts'
import { BOOTSTRAP, type GivenRole, ROLL } from '../events.ts'
import { type OperatorRoll, operatorIn, operatorRoll, presentIn } from '../operatorRoll.decider.ts'
import type { OperatorSessions } from '../operatorSessions.ts'
import type { Operator as Listed } from './contract.ts'

const INVITED_MS = 3 * 24 * 3_600_000
const RESET_MS = 3_600_000
/** Shortest time between two mails of one operator. */
const RESET_AGAIN_MS = 60_000

interface Deps {
  readonly handle: Handle
  readonly pool: Pick<pg.Pool, 'query'>
  readonly calendar: Calendar
  /** Hashes passwords. `unusable`: a hash that no password has. */
  readonly passwords: {
    hash(password: string): Promise<string>
    matches(password: string, hash: string): Promise<boolean>
    unusable(): string
  }
  readonly sessions: Pick<OperatorSessions, 'endAll' | 'setRole'>
  /** The operator of the environment. */
  readonly bootstrap: { readonly username: string; readonly password: string }
  /** Second factors of an operator. */
  readonly factors: {
    has(operatorId: string): Promise<boolean>
    /** Returns the public keys of the passkeys, by credential id. */
    keys(operatorId: string): Promise<Readonly<Record<string, string>>>
    erase(operatorId: string): Promise<void>
  }
}

interface Login {
  readonly operator_id: string
  readonly email: string
  readonly password_hash: string | null
}

export type Operators = ReturnType<typeof createOperators>

/** Id of nobody. */
const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const digest = (text: string) => createHash('sha256').update(text).digest()
/** Compares strings in constant time. */
const equal = (left: string, right: string) => timingSafeEqual(digest(left), digest(right))
const hashOf = (text: string) => digest(text).toString('hex')

type Core = ReturnType<typeof createCore>

/** Creates what the reads and the changes of operators need. */
function createCore({ handle, pool, calendar, bootstrap, factors, passwords }: Deps) {
  const readRoll = async (): Promise<OperatorRoll> => (await handle.read(operatorRoll, ROLL)).state
  const send = async (
    { operatorId, ...command }: Body<OperatorRollCommand>,
    by: { readonly id: string; readonly name: string },
  ) => {
    const at = new Date(calendar()).toISOString()
    const context = { commandId: uuid7(), actor: `operator:${by.name}`, correlationId: operatorId }
    return handle(
      operatorRoll,
      ROLL,
      { ...command, operatorId, at, bootstrap: bootstrap.username } as OperatorRollCommand,
      context,
    )
  }
  const loginOf = async (id: string): Promise<Login | undefined> => {
    const sql = 'select operator_id, email, password_hash from operator_login where operator_id = $1'
    return (await pool.query<Login>(sql, [id])).rows[0]
  }
  const eraseLogin = (id: string) => pool.query('delete from operator_login where operator_id = $1', [id])
  const roleOf = async (id: string, role: GivenRole): Promise<OperatorRole> =>
    id === BOOTSTRAP || (await factors.has(id)) ? role : 'invited'

  const matches = async (id: string, password: string): Promise<boolean> => {
    const isOwn = await passwords.matches(password, (await loginOf(id))?.password_hash ?? passwords.unusable())
    return id === BOOTSTRAP ? equal(password, bootstrap.password) : isOwn
  }

  /** Returns an operator who may sign in. */
  const caller = async (id: string): Promise<OperatorCaller | undefined> => {
    const found = operatorIn(await readRoll(), id, bootstrap.username)
    if (!found || found.status === 'removed') return undefined
    return { id, name: found.name, role: await roleOf(id, found.role) }
  }

  /** Makes the log know the passkeys of an operator, which sign. Returns whether there are any. */
  const recordKeys = async (id: string, name: string): Promise<boolean> => {
    const keys = await factors.keys(id)
    await send({ type: 'SetKeys', operatorId: id, keys }, { id, name })
    return Object.keys(keys).length > 0
  }

  return { readRoll, send, loginOf, eraseLogin, roleOf, matches, caller, recordKeys }
}

const createReads = ({ handle, pool, bootstrap }: Deps, { readRoll, loginOf, matches }: Core) => ({
  /** Returns whether an operator is present, as far as this process knows. */
  async isPresent(id: string): Promise<boolean> {
    const { state } = await handle.peek(operatorRoll, ROLL)
    return (operatorIn(state, id, bootstrap.username)?.status ?? 'removed') !== 'removed'
  },

  /** Returns the id of the operator with a name and a password; undefined if one is wrong. Takes as long for every name. */
  async signIn(name: string, password: string): Promise<string | undefined> {
    const [id] = presentIn(await readRoll(), bootstrap.username).find(([, operator]) => operator.name === name) ?? []
    return (await matches(id ?? NOBODY, password)) ? id : undefined
  },

  passwordMatches: matches,

  /** Returns a text that changes with the password of an operator. */
  async passwordVersion(id: string): Promise<string> {
    return hashOf(id === BOOTSTRAP ? bootstrap.password : ((await loginOf(id))?.password_hash ?? ''))
  },

  async list(): Promise<Listed[]> {
    const roll = await readRoll()
    const { rows } = await pool.query<Pick<Login, 'operator_id' | 'email'>>(
      'select operator_id, email from operator_login',
    )
    const emails = new Map(rows.map(({ operator_id, email }) => [operator_id, email]))
    return presentIn(roll, bootstrap.username).map(([id, { name, role, status }]) => ({
      ...{ id, name, role, email: emails.get(id) ?? null, keys: Object.keys(roll.keys[id] ?? {}).length },
      status: status === 'invited' ? ('invited' as const) : ('active' as const),
    }))
  },

  /** Returns the ids of operators who may order and approve actions. */
  async deciders(): Promise<string[]> {
    const present = presentIn(await readRoll(), bootstrap.username)
    return present.filter(([, { role, status }]) => status === 'active' && role !== 'viewer').map(([id]) => id)
  },

  /** Returns whether an operator is the only owner. */
  async isAlone(): Promise<boolean> {
    const owners = presentIn(await readRoll(), bootstrap.username).filter(
      ([, { role, status }]) => role === 'owner' && status === 'active',
    )
    return owners.length < 2
  },
})

const createInvitations = (
  { pool, calendar, bootstrap, passwords }: Deps,
  { readRoll, send, eraseLogin, caller }: Core,
) => ({
  /** Returns the id and the token of the invitation. @throws Rejection operator_exists */
  async invite(
    { name, email, role }: { readonly name: string; readonly email: string; readonly role: GivenRole },
    by: OperatorCaller,
  ): Promise<{ id: string; token: string }> {
    const id = uuid7()
    const token = randomBytes(32).toString('base64url')
    // First, because a name in the log can never be given again, and its invitation would be lost.
    await pool.query(
      'insert into operator_login (operator_id, email, invitation, invited_until) values ($1, $2, $3, $4)',
      [id, email, hashOf(token), new Date(calendar() + INVITED_MS)],
    )
    await send({ type: 'InviteOperator', operatorId: id, name, role, by: by.id }, by).catch(async (error) => {
      if (error instanceof Rejection) await eraseLogin(id)
      throw error
    })
    return { id, token }
  },

  /** Returns the address of an operator with a password, and the token of a link that replaces it; undefined if there is nothing to mail. */
  async forget(name: string): Promise<{ email: string; token: string } | undefined> {
    const [id] = presentIn(await readRoll(), bootstrap.username).find(([, operator]) => operator.name === name) ?? []
    const token = randomBytes(32).toString('base64url')
    const until = calendar() + RESET_MS
    const { rows } = await pool.query<{ email: string }>(
      `update operator_login set invitation = $2, invited_until = $3 where operator_id = $1 and password_hash is not null
         and (invitation is null or invited_until <= $4) returning email`,
      [id ?? NOBODY, hashOf(token), new Date(until), new Date(until - RESET_AGAIN_MS)],
    )
    return rows[0] && { ...rows[0], token }
  },

  /** Chooses the password of an operator with a mailed token, once. `isFirst`: they had none. @throws Rejection token_invalid */
  async accept(token: string, password: string): Promise<OperatorCaller & { readonly isFirst: boolean }> {
    const { rows } = await pool.query<{ operator_id: string; isFirst: boolean }>(
      `update operator_login l set password_hash = $1, invitation = null from operator_login former
       where former.operator_id = l.operator_id and l.invitation = $2 and l.invited_until > $3
       returning l.operator_id, former.password_hash is null as "isFirst"`,
      [await passwords.hash(password), hashOf(token), new Date(calendar())],
    )
    const operator = rows[0] && (await caller(rows[0].operator_id))
    if (!operator) throw new Rejection('token_invalid', 'This link is not valid any more. Ask for a new one.')
    return { ...operator, isFirst: rows[0]!.isFirst }
  },
})

const createChanges = (
  { sessions, bootstrap, factors }: Deps,
  { readRoll, send, eraseLogin, roleOf, recordKeys }: Core,
) => ({
  async changeRole(id: string, role: GivenRole, by: OperatorCaller): Promise<void> {
    await send({ type: 'ChangeRole', operatorId: id, role, by: by.id }, by)
    await sessions.setRole(id, await roleOf(id, role))
  },

  /** Removes an operator, with the address, password and second factors. The log keeps the name and public keys. */
  async remove(id: string, by: OperatorCaller): Promise<void> {
    await send({ type: 'RemoveOperator', operatorId: id, by: by.id }, by)
    await sessions.endAll(id)
    if (id === BOOTSTRAP) return
    await eraseLogin(id)
    await factors.erase(id)
  },

  /** Follows a change of an operator's second factors: the first one gives the role, and the log knows the passkeys. */
  async factorsChanged(id: string): Promise<void> {
    const roll = await readRoll()
    const operator = operatorIn(roll, id, bootstrap.username)
    if (!operator || operator.status === 'removed') return
    await recordKeys(id, operator.name)
    const role = await roleOf(id, operator.role)
    const by = { id, name: operator.name }
    if (operator.status === 'invited' && role !== 'invited') await send({ type: 'JoinOperator', operatorId: id }, by)
    if (id !== BOOTSTRAP) await sessions.setRole(id, role)
  },
})

/** Creates the service that knows who is an operator. Addresses and passwords are in the database, all else is in the log. */
export function createOperators(deps: Deps) {
  const core = createCore(deps)
  const { caller, recordKeys } = core
  return {
    ...{ caller, recordKeys },
    ...createReads(deps, core),
    ...createInvitations(deps, core),
    ...createChanges(deps, core),
  }
}

type Body<C> = C extends unknown ? Omit<C, 'at' | 'bootstrap'> : never
