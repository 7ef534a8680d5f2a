import type { ActivityPolicy, Workflow } from '../engine/engine.port.ts'

type Acts = Readonly<Record<string, (input: unknown) => Promise<unknown>>>
type Body<I = unknown> = Workflow<Acts, I, unknown>

/** Small workflows by which the contract of an engine is put to the test. They run in the sandbox of Temporal, too. */
export const CONTRACT_BODIES = {
  /** Waits to be told to go, and answers what it was given. */
  waits: (async (ctx, input) => {
    await ctx.signalled('go', 60_000)
    return input
  }) satisfies Body,

  /** Calls an activity and answers what came of it. */
  calls: (async (ctx, { activity, input }) => {
    try {
      return { result: await ctx.activities[activity]!(input) }
    } catch {
      return { thrown: true }
    }
  }) satisfies Body<{ activity: string; input?: unknown }>,

  /** Does something first; then says which signals it saw. */
  counts: (async (ctx) => {
    await ctx.activities.gate!({})
    return [await ctx.signalled('turn', 10_000), await ctx.signalled('turn', 1), await ctx.signalled('other', 1)]
  }) satisfies Body,

  /** Waits for so long, or for `turn`. */
  turns: ((ctx, ms) => ctx.signalled('turn', ms)) satisfies Body<number>,

  /** Tells before and after a pause, and what was thrown into it. */
  naps: (async (ctx, { id, ms }) => {
    const note = (what: string) => ctx.activities.note!(`${id} ${what}`)
    await note('before')
    try {
      const [from] = [await ctx.now(), await ctx.sleep(ms)]
      await note((await ctx.now()) - from >= ms ? 'after' : 'too early')
    } catch {
      await note('thrown')
    }
  }) satisfies Body<{ id: string; ms: number }>,

  /** Looks, and looks again whenever it is told to, until there is nothing to be seen. */
  looks: (async (ctx, input) => {
    while (await ctx.activities.look!(input)) await ctx.signalled('look', 60_000)
    return 'seen'
  }) satisfies Body,

  /** What a schedule starts. */
  ticks: ((ctx, input) => ctx.activities.tick!(input)) satisfies Body,
} as const

const quick: ActivityPolicy = {
  timeoutMs: 20_000,
  heartbeatMs: 1_500,
  attempts: 3,
  firstRetryMs: 10,
  maxRetryMs: 40,
  pool: 'main',
}

export const contractPolicies: Readonly<Record<string, ActivityPolicy>> = {
  gate: quick,
  note: quick,
  tick: quick,
  look: quick,
  flaky: quick,
  broken: quick,
  works: { ...quick, attempts: 100 },
  slow: { ...quick, timeoutMs: 1_000, heartbeatMs: 600 },
  narrow: { ...quick, pool: 'narrow' },
}
