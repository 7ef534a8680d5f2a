import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { connectDatabase } from './connect.ts'
import { startTemporaryPostgres } from './testing/temporaryPostgres.ts'

afterEach(() => void vi.useRealTimers())

it('waits for a database that starts later although the clock has gone forward', async () => {
  const postgres = await startTemporaryPostgres()
  const { socketDir, port, user, database } = postgres.server
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-'))
  const socket = `.s.PGSQL.${port}`
  const databaseUrl = `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`
  vi.useFakeTimers({ toFake: ['Date'] })
  let failures = 0
  await connectDatabase({ databaseUrl, dataDir: folder }, () => {
    if (++failures === 1) vi.setSystemTime(Date.now() + 3_600_000)
    else symlinkSync(path.join(socketDir, socket), path.join(folder, socket))
  })
  expect(failures).toBe(2)
  rmSync(folder, { recursive: true })
  await postgres.close()
})

it('does not wait for a pooler that refuses a parameter', async () => {
  const fields = Buffer.from(['SFATAL', 'C08P01', 'Munsupported startup parameter: lock_timeout', '', ''].join('\0'))
  const answer = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.from([fields.length + 4]), fields])
  const pooler = createServer((socket) => void socket.once('data', () => socket.end(answer)))
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  const databaseUrl = `postgresql://kinora@127.0.0.1:${(pooler.address() as AddressInfo).port}/kinora`
  const log = vi.fn()
  const connecting = connectDatabase({ databaseUrl, dataDir: '' }, log)
  await expect(connecting).rejects.toThrow('Add lock_timeout to ignore_startup_parameters of PgBouncer.')
  expect(log).not.toHaveBeenCalled()
  pooler.close()
})
