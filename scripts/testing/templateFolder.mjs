import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Creates the folder through which `backend/testing/clusterTemplate.ts` shares a database template among test files.
 */
export function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'kinora-template-'))
  process.env.KINORA_TEST_TEMPLATE = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
