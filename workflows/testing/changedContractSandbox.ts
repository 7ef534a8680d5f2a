import type { Workflow } from '../engine/engine.port.ts'
import { host } from '../temporal/host.ts'
import { CONTRACT_WORKFLOWS, contractPolicies, waits } from './contractWorkflows.ts'

type Note = { readonly note: (what: string) => Promise<void> }

/** A later version of the `waits` body, with a new first step. */
const changed: Workflow<Note, { id: string; value?: unknown }, unknown, { id: string }> = {
  ...waits,
  async run(ctx, { value }) {
    await ctx.activities.note('later')
    await ctx.signalled('go', 60_000)
    return `later ${value}`
  },
}

export default host([...CONTRACT_WORKFLOWS, changed], contractPolicies)
