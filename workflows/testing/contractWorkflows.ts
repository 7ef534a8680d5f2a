import type { ActivityPolicy, Policies, Workflow } from '../engine/engine.port.ts'

type Acts = Readonly<Record<string, (input: unknown) => Promise<unknown>>>
type Run = Readonly<{ id: string }>

const id = (input: Run) => input.id

/** Waits for a signal and returns its input. */
export const waits: Workflow<Acts, Run & { value?: unknown }, unknown, Run> = {
  type: 'waits',
  id,
  async run(ctx, { value }) {
    await ctx.signalled('go', 60_000)
    return value
  },
}

/** Calls an activity and returns its result, or that it threw. */
export const calls: Workflow<Acts, Run & { activity: string; input?: unknown }, unknown, Run> = {
  type: 'calls',
  id,
  async run(ctx, { activity, input }) {
    try {
      return { result: await ctx.activities[activity]!(input) }
    } catch {
      return { thrown: true }
    }
  },
}

/** Runs an activity, then returns which signals it has seen. */
export const counts: Workflow<Acts, Run, boolean[]> = {
  type: 'counts',
  id,
  async run(ctx) {
    await ctx.activities.gate!({})
    return [await ctx.signalled('turn', 10_000), await ctx.signalled('turn', 1), await ctx.signalled('other', 1)]
  },
}

/** Returns whether the signal `turn` arrived within `ms` milliseconds. */
export const turns: Workflow<Acts, Run & { ms: number }, boolean, Run> = {
  type: 'turns',
  id,
  run: (ctx, { ms }) => ctx.signalled('turn', ms),
}

/** Calls `note` before and after a sleep, and reports a sleep that threw or was too short. */
export const naps: Workflow<Acts, Run & { ms: number; as: string }, void, Run> = {
  type: 'naps',
  id,
  async run(ctx, { as, ms }) {
    const note = (what: string) => ctx.activities.note!(`${as} ${what}`)
    await note('before')
    try {
      const [from] = [await ctx.now(), await ctx.sleep(ms)]
      // Timers and the clock are read with a millisecond's difference.
      await note((await ctx.now()) - from >= ms - 1 ? 'after' : 'too early')
    } catch {
      await note('thrown')
    }
  },
}

/** Calls `look` on each signal until it returns false. */
export const looks: Workflow<Acts, Run, string> = {
  type: 'looks',
  id,
  async run(ctx, input) {
    while (await ctx.activities.look!(input)) await ctx.signalled('look', 60_000)
    return 'seen'
  },
}

export const ticks: Workflow<Acts> = {
  type: 'ticks',
  async run(ctx, input) {
    await ctx.activities.tick!(input)
  },
}

/** The workflows that the contract suite runs on every engine. They also run in Temporal's sandbox. */
export const CONTRACT_WORKFLOWS = [waits, calls, counts, turns, naps, looks, ticks]

const quick: ActivityPolicy = {
  timeoutMs: 20_000,
  heartbeatMs: 1_500,
  attempts: 3,
  firstRetryMs: 10,
  maxRetryMs: 40,
  pool: 'main',
}

export const contractPolicies: Policies = {
  gate: quick,
  note: quick,
  tick: quick,
  look: quick,
  flaky: quick,
  broken: quick,
  works: { ...quick, attempts: 100 },
  slow: { ...quick, timeoutMs: 1_000, heartbeatMs: 600 },
  narrow: { ...quick, pool: 'narrow' },
  short: { ...quick, attempts: 100, local: true },
}
