import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
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
