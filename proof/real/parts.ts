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
import type { Part } from './part.ts'
import { PROGRAM_PARTS } from './programs.ts'
import { PROXY_PARTS } from './proxies.ts'
import { DEFAULTS_PARTS } from './proxyDefaults.ts'
import { STRIPE_PARTS } from './stripeMock.ts'
import { TELEMETRY_PARTS } from './telemetry.ts'
import { TEMPORAL_PARTS } from './temporal.ts'

/** All parts, in the order in which they run. */
export const PARTS: readonly Part[] = [
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
