import type { Workflow } from '../engine/engine.port.ts'
import { host } from '../temporal/host.ts'
import { CONTRACT_BODIES, contractPolicies } from './contractBodies.ts'

type Note = { readonly note: (what: string) => Promise<void> }

/** A later version, in which a body does something else first. */
const waits: Workflow<Note, unknown, unknown> = async (ctx, input) => {
  await ctx.activities.note('later')
  await ctx.signalled('go', 60_000)
  return `later ${input}`
}

export default host({ ...CONTRACT_BODIES, waits }, contractPolicies)
