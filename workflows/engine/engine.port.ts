/** The engine as a workflow body sees it. A body does everything else in activities, because it is replayed after a crash. */
export interface WorkflowContext<A> {
  /** Each call is retried according to its policy and takes effect once. */
  readonly activities: A
  /** Epoch milliseconds, the same on replay. */
  now(): Promise<number>
  sleep(ms: number): Promise<void>
  /**
   * Waits up to `ms` for a signal and returns whether it came. A signal sent earlier counts. Signals carry no data: they
   * mean "look again", and the event log has the facts.
   */
  signalled(name: string, ms: number): Promise<boolean>
}

export interface ActivityContext {
  /** Aborts at shutdown and at the timeout. The activity stops and is attempted again later. */
  readonly signal: AbortSignal
}

export type Activities = Readonly<Record<string, (input: never, context: ActivityContext) => Promise<unknown>>>

/** Activities as a body calls them, with the context that an implementation may use. */
export type Implemented<A> = {
  readonly [Name in keyof A]: A[Name] extends (input: infer I) => infer O
    ? (input: I, context: ActivityContext) => O
    : never
}

/** The input of a workflow that takes none. */
export type NoInput = Readonly<Record<string, never>>

/**
 * Defines a workflow: its type, the id of a run, and its body. The id is made of `Key`, a part of the input.
 * Temporal stores types and ids: neither may change.
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
  /** At most one run has this id at a time. Without it, the type is the id. */
  readonly id?: (input: Key) => string
  readonly run: (ctx: WorkflowContext<A>, input: I) => Promise<O>
}

export type AnyWorkflow = Workflow<never, never, unknown, never>

export const workflowId = <Key>(workflow: Workflow<never, never, unknown, Key>, input: Key): string =>
  workflow.id?.(input) ?? workflow.type

export interface ActivityPolicy {
  /** Time limit of one attempt. */
  readonly timeoutMs: number
  /** A process silent for this long counts as dead. Used by engines with several processes. */
  readonly heartbeatMs?: number
  readonly attempts: number
  /** Delay before the second attempt. It doubles with each attempt, up to `maxRetryMs`. */
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  /** The pool whose slot the activity occupies while it runs. */
  readonly pool: string
}

export type Policies<Name extends string = string> = Readonly<Record<Name, ActivityPolicy>>

export interface StartOptions {
  /** 1 (first) to 5 (last). */
  readonly priority?: number
  /** Owners of equal priority take turns. */
  readonly owner?: string
}

export interface Engine {
  /** Starts a workflow. Does nothing while a run with the same id is in progress. */
  start<I>(workflow: Workflow<never, I, unknown>, input: NoInfer<I>, options?: StartOptions): Promise<void>
  /** Signals the run with this id. Does nothing if there is none. */
  signal<Key>(workflow: Workflow<never, never, unknown, Key>, input: NoInfer<Key>, name: string): Promise<void>
  /** Starts a workflow every `everyMs`. Skips a start while the previous run is in progress. */
  schedule(workflow: Workflow<never, NoInput, unknown>, everyMs: number): Promise<void>
  /**
   * Waits for the result of the run with this id. Without a run in progress: the result of the last one if the engine
   * stores results, otherwise undefined.
   */
  result<O, Key>(workflow: Workflow<never, never, O, Key>, input: NoInfer<Key>): Promise<O | undefined>
  /** Abandons the runs in this process, as a crash would: nothing is thrown into a body. A durable engine resumes them. */
  stop(): Promise<void>
}

/** The part of the engine that triggers use. */
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
