import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { EventStoreDbTestLog } from '../../kernel/eventsourcing/testing/eventStoreDbTestLog.ts'
import { EventStoreDbTestServer } from '../../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { createTestAuthority } from '../../kernel/eventsourcing/testing/testCertificates.ts'
import { freePort } from '../../testing/freePort.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'

const MAIN = path.join(import.meta.dirname, '../../main.ts')
/** Long enough for a program that logs every second or gives up soon. */
const WATCHED_MS = 2_500

describe('Kinora with an event store that cannot be used', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-down-'))
  const log = new EventStoreDbTestLog()
  const authority = createTestAuthority()
  let database: TemporaryDatabase
  beforeAll(async () => {
    database = await startTemporaryDatabase()
  })
  afterAll(async () => {
    await database?.close()
    authority.remove()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  async function startMain(env: Record<string, string>) {
    const port = await freePort()
    const own = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn', ...env }
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, NODE_ENV: 'test', ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const errors: string[] = []
    child.stderr.on('data', (text) => errors.push(String(text)))
    const ended = once(child, 'exit').then(([code]) => code as number | null)
    const readyz = async () => (await fetch(`http://localhost:${port}/readyz`)).status
    return { child, ended, readyz, output: () => errors.join('').trim().split('\n') }
  }

  it.each(['new', 'existing'])('waits for the event store with %s data, and says so once', async () => {
    const port = await freePort()
    const { child, ended, readyz, output } = await startMain({ EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` })
    await eventually(async () => expect(await readyz()).toBe(503))
    await eventually(() => expect(output()[0]).not.toBe(''))
    await wait(WATCHED_MS)
    const lines = output()
    expect(lines).toEqual([expect.stringContaining('event store unreachable, waiting')])
    expect(lines[0]).toContain('ECONNREFUSED')
    const server = await new EventStoreDbTestServer({ port, log }).start()
    await eventually(async () => expect(await readyz()).toBe(200))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    server.kill()
  })

  it('exits with one sentence if the server rejects the user', async () => {
    const server = await new EventStoreDbTestServer({ tls: authority.issue(), log }).start()
    server.users.set('kinora', 'another')
    const { ended, output } = await startMain({ EVENTSTORE_URL: server.url, EVENTSTORE_CA: authority.ca })
    expect(await ended).toBe(1)
    expect(output()).toEqual([expect.stringMatching(/^EVENTSTORE_URL: the server rejects the user kinora/)])
    server.kill()
  })
})
