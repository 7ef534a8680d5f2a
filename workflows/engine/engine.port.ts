/** Operations available to a workflow body. All other work belongs in activities, because bodies are replayed. */
export interface WorkflowContext<A> {
  /** Each call is retried according to its policy and takes effect once. */
  readonly activities: A
  /** Returns the time in epoch milliseconds, which is the same on replay. */
  now(): Promise<number>
  sleep(ms: number): Promise<void>
  /**
   * Waits up to `ms` milliseconds for a signal and returns whether it arrived. A signal sent before the call counts.
   * Signals carry no data: they only tell the body to read the event log again.
   */
  signalled(name: string, ms: number): Promise<boolean>
}

export interface ActivityContext {
  /** Aborts on shutdown or timeout. The activity must then stop, and is retried later. */
  readonly signal: AbortSignal
}

export type Activities = Readonly<Record<string, (input: never, context: ActivityContext) => Promise<unknown>>>

/** Implementations of the activities `A`. Each also receives an {@link ActivityContext}. */
export type Implemented<A> = {
  readonly [Name in keyof A]: A[Name] extends (input: infer I) => infer O
    ? (input: I, context: ActivityContext) => O
    : never
}

/** Input type of workflows without input. */
export type NoInput = Readonly<Record<string, never>>

/**
 * Defines a workflow: its type, the id of a run, and its body. The id is derived from `Key`, a part of the
 * input. Temporal stores types and ids, so neither may change.
 * @example
 * const deliverMail: Workflow<DeliverMailActivities, { mailId: string }> = {
 *   type: 'deliverMail',
 *   id: ({ mailId }) => `mail-${mailId}`,
 *   run: (ctx, input) => ctx.activities.sendMail(input),
 * }
 * await engine.start(deliverMail, { mailId })
 */
export interface Workflow<A, I = NoInput, O = void, Key = I> {
  readonly type: string
  /** Returns the run's id, which at most one run in progress can have. Default: the type. */
  readonly id?: (input: Key) => string
  readonly run: (ctx: WorkflowContext<A>, input: I) => Promise<O>
}

export type AnyWorkflow = Workflow<never, never, unknown, never>

export const workflowId = <Key>(workflow: Workflow<never, never, unknown, Key>, input: Key): string =>
  workflow.id?.(input) ?? workflow.type

export interface ActivityPolicy {
  /** Time limit of one attempt. */
  readonly timeoutMs: number
  /** Time without a heartbeat after which an attempt counts as failed. Used by multi-process engines only. */
  readonly heartbeatMs?: number
  readonly attempts: number
  /** Delay before the second attempt. It doubles with each attempt, up to `maxRetryMs`. */
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  /** Concurrency pool in which the activity occupies a slot while it runs. */
  readonly pool: string
  /** Temporal runs the activity as part of the workflow task, which saves a round trip. Only for short commands. */
  readonly local?: true
}

export type Policies<Name extends string = string> = Readonly<Record<Name, ActivityPolicy>>

export interface StartOptions {
  /** From 1 (highest) to 5 (lowest). */
  readonly priority?: number
  /** Fairness key: owners of activities with equal priority take turns. */
  readonly owner?: string
  /** Continues what a killed process had begun: immediately takes back the slots that its run had, even from others. */
  readonly resumed?: boolean
}

export interface Engine {
  /** Starts a workflow. Does nothing while a run with the same id is in progress. */
  start<I>(workflow: Workflow<never, I, unknown>, input: NoInfer<I>, options?: StartOptions): Promise<void>
  /** Signals the run with this id. Does nothing if there is none. */
  signal<Key>(workflow: Workflow<never, never, unknown, Key>, input: NoInfer<Key>, name: string): Promise<void>
  /** Starts a workflow every `everyMs` milliseconds. Skips a start while the previous run is in progress. */
  schedule(workflow: Workflow<never, NoInput, unknown>, everyMs: number): Promise<void>
  /**
   * Waits for the result of the run with this id. If no run is in progress, returns the result of the last one if the
   * engine stores results, otherwise undefined.
   */
  result<O, Key>(workflow: Workflow<never, never, O, Key>, input: NoInfer<Key>): Promise<O | undefined>
  /** Abandons the runs in this process, as a crash would: nothing is thrown into a body. A durable engine resumes them. */
  stop(): Promise<void>
}

/** Engine methods that triggers use. */
export type Starter = Pick<Engine, 'start' | 'signal'>

/** Starts a workflow if no run with this id is in progress, then signals it. */
export async function signalWithStart<I>(
  engine: Starter,
  workflow: Workflow<never, I, unknown>,
  input: NoInfer<I>,
  name: string,
): Promise<void> {
  await engine.start(workflow, input)
  await engine.signal(workflow, input, name)
}
