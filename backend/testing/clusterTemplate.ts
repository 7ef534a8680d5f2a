import { cpSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Copies an embedded cluster with Kinora's schema to `dataDir` if nothing exists there. The first test of a run creates
 * the template. If KINORA_TEST_TEMPLATE is not set, copies nothing, and Kinora creates the cluster itself.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const folder = process.env.KINORA_TEST_TEMPLATE
  if (!folder || existsSync(dataDir)) return
  const template = path.join(folder, 'cluster')
  if (!existsSync(template)) await (await import('./makeCluster.ts')).makeCluster(template)
  // PostgreSQL rejects a data folder that other users can access.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(template, dataDir, { recursive: true })
}
