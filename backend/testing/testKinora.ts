import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../app/config/readConfig.ts'
import type { Overrides } from '../app/context.ts'
import { startKinora } from '../app/kinora.ts'
import { copyCluster } from './clusterTemplate.ts'
import { registerUser, visitor } from './testUser.ts'

export type TestKinora = Awaited<ReturnType<typeof startTestKinora>>

/** Starts Kinora in this process, with embedded defaults in a temporary folder. */
export async function startTestKinora({ env = {}, ...overrides }: Overrides & { env?: Record<string, string> } = {}) {
  const dataDir = env.DATA_DIR ?? mkdtempSync(path.join(os.tmpdir(), 'kinora-test-'))
  if (!env.DATABASE_URL) await copyCluster(path.join(dataDir, 'postgres'))
  // A database that several starts share needs the same key in each, whatever their data folders.
  const key = env.DATABASE_URL ? { ENCRYPTION_KEY: 'ab'.repeat(32) } : {}
  const settings = { NODE_ENV: 'test', PORT: '0', LOG_LEVEL: 'error', DATA_DIR: dataDir, SESSION_RATE: '1000000' }
  const config = readConfig({ ...settings, ...key, ...env })
  const kinora = await startKinora(config, overrides)
  return {
    ...kinora,
    ...visitor(kinora.url),
    dataDir,
    newUser: (email?: string) => registerUser(kinora.url, email),
    /** Resolves when all recorded page views are counted. */
    async visitsCounted() {
      const isWaiting = async () => (await kinora.context.pool.query('select from uncounted_view limit 1')).rowCount
      while (await isWaiting()) await delay(10)
    },
    /** Stops Kinora, and removes its data unless `keep` is set. */
    async close({ keep = false } = {}) {
      await kinora.stop()
      if (!keep) rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
