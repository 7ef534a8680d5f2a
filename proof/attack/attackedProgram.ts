import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { hashPassword } from '#backend/accounts/passwords.ts'
import { createSessions } from '#backend/accounts/sessions/sessions.ts'
import { UserTable } from '#backend/accounts/tables.ts'
import { readConfig } from '#backend/app/config/readConfig.ts'
import { startKinora } from '#backend/app/kinora.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { tokenHasher } from '#backend/operators/operatorSessions.ts'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { type Account, CREDITS, type Order, type Reply } from './target.ts'
import { watchTurns } from './turns.ts'

// Runs Kinora as a process that `npm run attack` attacks. The attacker orders accounts and figures over IPC.
const PASSWORD = 'correct horse'

const config = readConfig(process.env)
const kinora = await startKinora(config, { provider: await createProviderDouble() })
const { database } = kinora.context
const sessions = createSessions(database, config.secrets.session)
const passwordHash = await hashPassword(PASSWORD)
const hashOf = tokenHasher({ secret: config.secrets.session, password: config.operators.password })
const turns = watchTurns()

/** Opens a session without a step-up. Returns its cookies. */
async function newSession(userId: string): Promise<string> {
  const { access, refresh } = await sessions.open(userId, 'attack')
  return `kinora_access=${access}; kinora_refresh=${refresh}`
}

/** Creates an account without the API, whose limits would be used up by the first few. */
async function newAccount(n: number, isVerified: boolean): Promise<Account> {
  const id = uuid7()
  const email = `canary-${n}-@kinora.test`
  const at = new Date()
  const names = { email, identity: email, fullName: `canary-${n}-`, language: 'en' } as const
  const row = { id, ...names, passwordHash, passwordChangedAt: null, createdAt: at }
  await database.em.fork().insert(UserTable, { ...row, emailVerifiedAt: isVerified ? at : null })
  if (isVerified) await kinora.services.credits.grantFreeCredits(id, CREDITS)
  return { n, id, email, password: PASSWORD, cookie: await newSession(id), isVerified }
}

/** Opens a session of the operator without a step-up. Returns its cookie. */
async function newOperatorSession(): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const sql =
    "insert into operator_session (hash, created_at, expires_at) values ($1, now(), now() + interval '1 hour')"
  await kinora.context.pool.query(sql, [hashOf(token)])
  return `kinora_operator=${token}`
}

/** Waits until read models show the credits of an account. */
async function untilShown({ id, isVerified }: Account): Promise<void> {
  while (isVerified && (await kinora.services.subscriptionReads.stats(id)).remaining_credits < CREDITS) await delay(10)
}

let accounts = 0
async function answer(order: Order): Promise<Reply> {
  if (order.kind === 'turns') return { turns: turns.take() }
  if (order.kind === 'identity') return { identity: { pid: process.pid, startedAt: performance.timeOrigin } }
  if (order.kind === 'operator') return { cookie: await newOperatorSession() }
  if (order.kind === 'session') return { cookie: await newSession(order.userId) }
  const added: Account[] = []
  for (let n = 0; n < order.count; n++) added.push(await newAccount(++accounts, order.isVerified))
  await Promise.all(added.map(untilShown))
  return { accounts: added }
}

process.on('message', ({ id, order }: { id: number; order: Order }) => {
  void answer(order).then(
    (reply) => process.send!({ id, reply }),
    (error) => process.send!({ id, error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void kinora.stop().then(() => process.exit(0)))
process.send!({ url: kinora.url })
