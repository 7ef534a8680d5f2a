import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Where the first test that needs a database leaves what the others copy (`backend/testing/clusterTemplate.ts`). */
export function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'kinora-template-'))
  process.env.KINORA_TEST_TEMPLATE = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
