import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { createTestMailServer } from '../providers/mail/testing/testMailServer.ts'
import { type S3Double, startS3Double } from '../providers/storage/testing/s3Double.ts'
import { freePort } from '../testing/freePort.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { runDoctor } from './doctor.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-doctor-spec-'))
const mail = createTestMailServer()
let s3: S3Double
let db: TemporaryDatabase
let services: Record<string, string>
const alerts: unknown[] = []
const receiver = createServer(async (request, response) => {
  alerts.push(await json(request))
  response.end()
})
beforeAll(async () => {
  ;[s3, db] = await Promise.all([startS3Double(), startTemporaryDatabase()])
  await Promise.all([mail.start(), once(receiver.listen(0, '127.0.0.1'), 'listening')])
  services = {
    DATA_DIR: dataDir,
    DATABASE_URL: db.url,
    SMTP_URL: mail.url,
    MAIL_FROM: 'Kinora <hello@kinora.test>',
    S3_ENDPOINT: s3.access.endpoint,
    S3_BUCKET: s3.access.bucket,
    S3_REGION: s3.access.region,
    S3_ACCESS_KEY_ID: s3.access.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.access.secretAccessKey,
    BACKUP_TO: path.join(dataDir, 'copies'),
    HEADS_TO: path.join(dataDir, 'heads'),
    ALERT_WEBHOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
  }
})
afterAll(async () => {
  await Promise.all([s3.close(), db.close(), mail.stop(), receiver.close()])
  rmSync(dataDir, { recursive: true, force: true })
})

async function examine(env: Record<string, string>, ...args: string[]) {
  const lines: string[] = []
  const code = await runDoctor(args, env, (text) => lines.push(text))
  return { code, lines, report: lines.join('\n') }
}

describe('npm run doctor', () => {
  it('signs in to every service, and leaves nothing behind but a test mail', async () => {
    const { code, lines, report } = await examine(services, '--mail-to', 'me@kinora.test')
    expect(report).not.toContain('failed')
    expect(lines.filter((line) => !/^ok [a-z ,]+: \S/.test(line))).toEqual([])
    expect(code).toBe(0)
    const of = (name: string) => lines.find((line) => line.startsWith(`ok ${name}:`))
    expect(of('database')).toMatch(/PostgreSQL 18.* clock agrees/)
    expect(of('media')).toContain('written to kinora, read and removed')
    expect(of('backups')).toContain('copies can be written')
    // A restore on a new machine needs an empty folder.
    expect(readdirSync(dataDir)).toEqual([])
    expect(s3.calls.map((call) => call.split(' ')[0])).toEqual(expect.arrayContaining(['PUT', 'GET', 'DELETE']))
    expect([...s3.objects.keys()]).toEqual([])
    expect(mail.asked).toEqual(['me@kinora.test'])
    expect(of('heads of the ledger')).toContain('heads can be written')
    expect(alerts).toEqual([expect.objectContaining({ code: 'test', state: 'over' })])
    expect(of('ffmpeg')).toMatch(/ffmpeg version/)
  })

  it('names each service that refuses, with what to do, and no secret', async () => {
    const closed = await freePort()
    const { code, lines, report } = await examine({
      ...services,
      DATABASE_URL: `postgres://kinora:pass-word@127.0.0.1:${closed}/kinora`,
      TEMPORAL_ADDRESS: `127.0.0.1:${closed}`,
      SMTP_URL: `smtp://user:pass-word@127.0.0.1:${closed}`,
      S3_SECRET_ACCESS_KEY: 'a wrong pass-word',
      BACKUP_TO: `${import.meta.filename}/copies`,
      HEADS_TO: `${import.meta.filename}/heads`,
      ALERT_WEBHOOK: `http://127.0.0.1:${closed}`,
      VIDEOS_API_URL: `http://127.0.0.1:${closed}`,
      VIDEOS_API_KEY: 'pass-word',
    })
    expect(code).toBe(1)
    expect(lines.filter((line) => !line.startsWith('ok ')).map((line) => /^failed ([^:]*):/.exec(line)![1])).toEqual([
      'database',
      'workflows',
      'media',
      'backups',
      'heads of the ledger',
      'alerts',
      'mail',
      expect.stringMatching(/^videos, /),
    ])
    expect(lines.find((line) => line.startsWith('failed database'))).toMatch(/ECONNREFUSED.*\. Check DATABASE_URL/)
    expect(report).not.toContain('\n\n')
    expect(report).toContain('S3_ settings')
    expect(report).not.toContain('pass-word')
  })

  it('compares the clock of the event store with the one of this machine', async () => {
    const server = await new EventStoreDbTestServer().start()
    const check = async () => {
      const { lines } = await examine({ DATA_DIR: dataDir, DATABASE_URL: db.url, EVENTSTORE_URL: server.url })
      return lines.find((line) => line.includes('event log'))
    }
    expect(await check()).toMatch(/^ok event log: .*clock agrees/)
    server.log.ahead = -5_000
    expect(await check()).toMatch(/^failed event log: its clock differs from the one of this machine by 5 s\. Check/)
    expect(server.log.all.map(({ stream }) => stream)).toEqual(['probe', 'probe', 'probe'])
    server.version = '24.10.4'
    expect(await check()).toMatch(
      /^failed event log: EventStoreDB 24\.10\.4 sends wrong checkpoints .* 24\.10\.5 or newer/,
    )
    server.kill()
  })

  it('refuses data of a version before 0.1.0, and says what to do', async () => {
    await db.pool.query("update migration set name = 'M0100Baseline'")
    const { lines } = await examine({ DATA_DIR: dataDir, DATABASE_URL: db.url })
    expect(lines.find((line) => line.includes('database'))).toMatch(
      /^failed database: .* before 0\.1\.0 \(M0100Baseline\).* an empty database in DATABASE_URL/,
    )
  })

  it('names an invalid setting instead of failing', async () => {
    expect(await examine({ DATA_DIR: dataDir, SMTP_URL: 'mail.example.org' })).toMatchObject({
      code: 1,
      report: expect.stringContaining('SMTP_URL: '),
    })
  })
})
