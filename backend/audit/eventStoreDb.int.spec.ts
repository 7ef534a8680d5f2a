import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { createTestAuthority } from '../kernel/eventsourcing/testing/testCertificates.ts'
import { stopwatch } from '../testing/stopwatch.ts'
import type { TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startAuditedLedger } from './testing/auditedLedger.ts'
import { AUDITED_TABLES, projectLedger } from './testing/projectLedger.ts'
import { LEDGER, seedLedger } from './testing/seedLedger.ts'

const { buyer } = LEDGER
let ledger: Awaited<ReturnType<typeof startAuditedLedger>>
let db: TemporaryDatabase
beforeAll(async () => {
  ledger = await startAuditedLedger()
  db = ledger.db
})
afterAll(() => ledger.close())
const inFolder = (name: string) => ledger.inFolder(name)
const audit = (...args: Parameters<typeof ledger.audit>) => ledger.audit(...args)

describe('audit verify of a ledger in EventStoreDB (the real client, a double of the server)', () => {
  it('passes, and detects a changed byte', async () => {
    const server = await new EventStoreDbTestServer().start()
    const store = createEventStoreDb({ url: server.url })
    await db.pool.query(`truncate ${AUDITED_TABLES}`)
    await seedLedger(store)
    await projectLedger(store, db.database)
    const env = { EVENTSTORE_URL: server.url }
    const sound = (await audit(['verify', '--json'], env)).json()
    expect(sound).toMatchObject({ ok: true, events: 24, deviations: [] })
    expect(sound.readModels.map(({ rows }: { rows: number }) => rows)).toEqual([
      2, 10, 1, 8, 1, 1, 0, 0, 0, 2, 3, 3, 0, 2, 0, 0, 7,
    ])

    const logged = server.log.stream(`creditAccount-${buyer}`)[5]!
    const data = Buffer.from(Buffer.from(logged.data).toString().replace('not delivered', 'not deliverad'))
    Object.assign(logged, { data })
    const { code, json } = await audit(['verify', '--json'], env)
    expect(code).toBe(1)
    expect(json().deviations[0]).toMatchObject({ check: 'chain', revision: 5, id: logged.id })
    await store.close()
    server.kill()
  })

  // Both wait 15 seconds for a server.
  it.concurrent('reads a log over TLS with the authority that EVENTSTORE_CA names', async () => {
    const authority = createTestAuthority()
    const server = await new EventStoreDbTestServer({ tls: authority.issue() }).start()
    const store = createEventStoreDb({ url: server.url, ca: authority.ca })
    await db.pool.query(`truncate ${AUDITED_TABLES}`)
    await seedLedger(store)
    await projectLedger(store, db.database)
    const env = { EVENTSTORE_URL: server.url, EVENTSTORE_CA: authority.ca }
    expect((await audit(['verify', '--json'], env)).json()).toMatchObject({ ok: true, events: 24 })
    const { code, errors } = await audit(['verify'], { EVENTSTORE_URL: server.url })
    expect([code, errors]).toEqual([1, expect.stringMatching(/^EVENTSTORE_CA: the certificate of [^\n]*$/)])
    await store.close()
    server.kill()
    authority.remove()
  })

  it.concurrent('gives up after 15 seconds with the cause, and leaves no partial archive', async () => {
    const mute = await new EventStoreDbTestServer().start()
    mute.silentReads = 'subscriptions'
    // Port 1 is below those given to servers, so no other test can have one there.
    const gone = '127.0.0.1:1'
    const place = inFolder('partial')
    mkdirSync(place)
    const took = stopwatch()
    const outcomes = await Promise.all([
      audit(['export', '--out', path.join(place, 'mute.tar')], { EVENTSTORE_URL: mute.url }),
      audit(['verify'], { EVENTSTORE_URL: `esdb://${gone}?tls=false` }),
    ])
    took.within(25_000)
    expect(outcomes.map(({ code, errors }) => [code, errors])).toEqual([
      [1, 'EventStoreDB does not answer (the server accepts connections, but does not answer calls)'],
      [1, `EventStoreDB does not answer (${gone}: ECONNREFUSED)`],
    ])
    expect(readdirSync(place)).toEqual([])
    mute.kill()
  })
})
