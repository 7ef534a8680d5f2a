import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { verify } from '../audit/verify.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { startTestCluster } from '../kernel/eventsourcing/testing/eventStoreDbTestCluster.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { PLANS } from '../subscriptions/plans.contract.ts'
import { eventually } from '../testing/eventually.ts'
import { FULL, SEED } from '../testing/fullRun.ts'
import { read } from '../testing/plans.ts'
import { type Program, startProgram } from '../testing/program.ts'
import { sampled } from '../testing/sampled.ts'
import { seeded } from '../testing/seeded.ts'
import { GENERATION, registerUser, type TestUser, visitor } from '../testing/testUser.ts'
import type { Team } from './contract.ts'

const KILLS = FULL ? 8 : 2
const MEMBERS = FULL ? 50 : 6
const CREDITS = 300
const PRICE = 30
/** The free credits, and the rest of them in the first month. */
const MONTHLY = CREDITS - PLANS.free.credits
/** Credits that a member may spend in the month. */
const limitOf = (n: number) => PRICE * (1 + (n % 3))

interface Log {
  readonly env: Record<string, string>
  /** Kills what has the events, if it does not end with Kinora, and starts it again. */
  restart(): Promise<unknown>
  /** Opens the events after Kinora has ended. */
  open(): Promise<EventStore>
}

const LOGS: Record<string, (folder: string) => Promise<Log>> = {
  'the events in PostgreSQL': async (folder) => ({
    env: {},
    restart: async () => {},
    async open() {
      const { connection, stop } = await connectDatabase({ databaseUrl: undefined, dataDir: folder }, () => {})
      const pool = openPool(connection)
      onTestFinished(() => pool.end().then(stop))
      return createPostgresEventStore(pool)
    },
  }),
  async 'a double of EventStoreDB, killed as well'() {
    const cluster = await startTestCluster(1)
    onTestFinished(() => cluster.close())
    return {
      env: { EVENTSTORE_URL: cluster.url },
      restart: () => cluster.kill(0).then(() => cluster.start(0)),
      open: async () => createEventStoreDb({ url: cluster.url }),
    }
  },
}

/** Opens a data folder in which Kinora starts and dies, with the seeded moments of that. */
async function openFolder(name: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora killed team '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }))
  const log = await LOGS[name]!(folder)
  const random = seeded(SEED)
  let program: Program | undefined
  onTestFinished(() => program?.kill())
  const kill = () => program!.kill()
  const start = async (port = 0) => {
    program = await startProgram(
      {
        ...{ DATA_DIR: folder, PORT: String(port), SEED: String(Math.floor(random() * 1e9)), ...log.env },
        // Without plans, everyone has a team, and the credits of the month are all that there are.
        ...{ PAYMENTS: 'off', MONTHLY_CREDITS: String(MONTHLY), TEAM_SEATS: String(MEMBERS + 1) },
      },
      path.join(import.meta.dirname, '../testing/chaosProgram.ts'),
    )
    return program.url
  }
  const restart = async () => {
    const port = Number(new URL(program!.url).port)
    await delay(random() * 1_000)
    await Promise.all([kill(), log.restart()])
    await start(port)
  }
  return { start, restart, kill, open: log.open }
}

/** Repeats a call until the server is there and the queue has room. Returns the last status. */
async function insist(call: () => Promise<Response>): Promise<number> {
  for (;;) {
    const status = await call().then(
      (answer) => answer.status,
      () => 0,
    )
    if (status !== 0 && status < 500 && status !== 409 && status !== 429) return status
    await delay(200)
  }
}

async function join(url: string, owner: TestUser, team: Team, n: number): Promise<TestUser> {
  const member = await registerUser(url)
  const invitation = { email: member.email, credits_per_month: limitOf(n) }
  expect((await owner.call('POST', `/teams/${team.id}/invitations`, invitation)).status).toBe(201)
  const link = /#token=([\w-]+)/
  await eventually(async () => expect((await visitor(url).mails(member.email))[0]?.text).toMatch(link))
  const token = link.exec((await visitor(url).mails(member.email))[0]!.text)![1]
  expect((await member.call('POST', '/teams/invitations/accept', { token })).status).toBe(200)
  return member
}

async function audit(store: EventStore, owner: TestUser) {
  const { books, deviations } = await verify(store)
  await store.close()
  return { deviations, book: books.get(`creditAccount-${owner.userId}`)! }
}

it.each(sampled(Object.keys(LOGS)))(
  `a team never passes its balance or a limit while Kinora is killed ${KILLS} times, with %s`,
  {
    timeout: 900_000,
  },
  async (name) => {
    const kinora = await openFolder(name)
    const url = await kinora.start()
    const owner = await registerUser(url)
    const { team } = (await (await owner.call('POST', '/teams', { name: 'Studio' })).json()) as { team: Team }
    const members: TestUser[] = []
    for (let n = 0; n < MEMBERS; n++) members.push(await join(url, owner, team, n))
    const order = (member: TestUser, round: number, n: number) => {
      const prompt = `Cat ${round} ${n}${n % 3 === 0 ? ' refused' : ''}`
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const body = { ...GENERATION, prompt, team_id: team.id }
      return insist(() => member.call('POST', '/videos/generate', body, headers))
    }
    const orders = (round: number) => members.map((member, n) => order(member, round, n))
    const path = (member: TestUser) => `/teams/${team.id}/members/${member.userId}`

    const statuses: number[] = []
    for (let round = 0; round < KILLS; round++) {
      const sent = orders(round)
      // The owner takes one out, and lowers a limit, while the process dies.
      const [gone, lowered] = [members[round * 2]!, members[round * 2 + 1]!]
      const changes = [
        insist(() => owner.call('DELETE', path(gone))),
        insist(() => owner.call('PUT', path(lowered), { credits_per_month: 0 })),
      ]
      await kinora.restart()
      statuses.push(...(await Promise.all(sent)))
      expect((await Promise.all(changes))[1]).toBe(204)
      expect(await order(gone, round, 1)).toBe(403)
    }
    // The rest of the credits, for which the members compete.
    for (let round = KILLS, last = [202]; last.includes(202); round++) {
      last = await Promise.all(orders(round).filter((_, n) => n % 3 !== 0))
      statuses.push(...last)
      await eventually(async () => {
        const { tasks } = await read<{ tasks: { status: string }[] }>(owner, '/videos/my-works?library=team')
        expect(tasks.filter(({ status }) => !/Success|Fail/.test(status))).toEqual([])
      })
    }
    expect([...new Set(statuses)].toSorted()).toEqual([202, 402, 403])
    const [{ members: shown } = { members: [] }] = (await read<{ teams: Team[] }>(owner, '/teams')).teams
    const over = shown.filter(({ used, limit }) => limit !== null && limit > 0 && (used ?? 0) > limit)
    expect(over).toEqual([])
    await eventually(async () => {
      const { entries } = await read<{ entries: { kind: string }[] }>(owner, '/credits/history?per_page=100')
      expect(entries.filter(({ kind }) => kind === 'hold').length).toBeLessThanOrEqual(
        entries.filter(({ kind }) => kind === 'release').length,
      )
    })
    await kinora.kill()

    const { deviations, book } = await audit(await kinora.open(), owner)
    expect(deviations).toEqual([])
    const { left, held } = book.sums()
    expect(left).toBeGreaterThanOrEqual(0)
    expect([-book.total('issued'), book.total('spent') + left, held]).toEqual([CREDITS, CREDITS, 0])
    for (const [n, { userId }] of members.entries())
      for (const [period, spent] of book.spentByKeys)
        if (period.startsWith(userId)) expect(spent, period).toBeLessThanOrEqual(limitOf(n))
  },
)
