import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ROOT } from '../run.mjs'

/**
 * Creates the folder through which `backend/testing/clusterTemplate.ts` shares a database template among test files, and in
 * which servers that files share keep their data.
 * Test workers and the programs they start keep compiled modules: Node checks each against its source.
 */
export function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'kinora-template-'))
  process.env.KINORA_TEST_TEMPLATE = folder
  process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, 'node_modules/.cache/kinora-tests')
  // Servers that the workers share end a moment after them.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
