import { cpSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Puts an embedded cluster with Kinora's whole schema where there is none. The first test of a run makes it, the others copy
 * it. Outside of a run of the tests nothing is put there, and whoever starts on `dataDir` makes all of it.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const folder = process.env.KINORA_TEST_TEMPLATE
  if (!folder || existsSync(dataDir)) return
  const template = path.join(folder, 'cluster')
  if (!existsSync(template)) await (await import('./makeCluster.ts')).makeCluster(template)
  // PostgreSQL starts in no folder that others may enter.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(template, dataDir, { recursive: true })
}
