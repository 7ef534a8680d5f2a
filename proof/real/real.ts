import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { BROWSER_PARTS } from './browsers.ts'
import { BUCKET_PARTS } from './buckets.ts'
import { COMFYUI_PARTS } from './comfyui.ts'
import { DATABASE_PARTS } from './databases.ts'
import { ENGINES } from './engines.ts'
import { EVENT_STORE_PARTS } from './eventStore.ts'
import { GATEWAY_PARTS } from './gateway.ts'
import { HELM_PARTS } from './helm.ts'
import { IMAGE_PARTS } from './image.ts'
import { MAIL_PARTS } from './mail.ts'
import { MCP_PARTS } from './mcpConformance.ts'
import { type Part, Skipped } from './part.ts'
import { PROGRAM_PARTS } from './programs.ts'
import { PROXY_PARTS } from './proxies.ts'
import { DEFAULTS_PARTS } from './proxyDefaults.ts'
import { STRIPE_PARTS } from './stripeMock.ts'
import { TELEMETRY_PARTS } from './telemetry.ts'
import { TEMPORAL_PARTS } from './temporal.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    pictures: { type: 'string' },
  },
})
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/kinora-real')
const ALL = [
  ENGINES,
  GATEWAY_PARTS,
  COMFYUI_PARTS,
  PROGRAM_PARTS,
  PROXY_PARTS,
  DEFAULTS_PARTS,
  BROWSER_PARTS,
  DATABASE_PARTS,
  EVENT_STORE_PARTS,
  BUCKET_PARTS,
  TEMPORAL_PARTS,
  TELEMETRY_PARTS,
  MAIL_PARTS,
  MCP_PARTS,
  IMAGE_PARTS,
  HELM_PARTS,
  STRIPE_PARTS,
].flat()
const parts: readonly Part[] = ALL.filter(({ name }) => positionals.every((text) => name.includes(text)))

mkdirSync(CACHE, { recursive: true })
let failed = 0
for (const part of parts) console.log(await lineOf(part))
process.exit(failed > 0 || parts.length === 0 ? 1 : 0)

/** Runs a part and returns its line: name, version if it started, and what came of it. */
async function lineOf({ name, run }: Part): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kinora-real-'))
  try {
    return `${name} ${await run({ ...values, folder, cache: CACHE, pictures: values.pictures })}: passed`
  } catch (error) {
    if (error instanceof Skipped) return `${name}: skipped, ${error.message}`
    failed++
    return `${name}: failed, ${(error as Error).stack ?? error}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
