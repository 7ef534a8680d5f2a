/**
 * What a workflow may ask of the engine that runs it, and the application of the engine. Nothing here imports anything:
 * these types are all that a workflow body and an engine have in common.
 */
export interface WorkflowContext<A> {
  /** Every call is retried by its policy and has the effect of running once. */
  readonly activities: A
  /** Epoch milliseconds, the same on replay. */
  now(): Promise<number>
  sleep(ms: number): Promise<void>
  /**
   * Waits until `name` is signalled, or for `ms`, and says which (true: signalled). A signal that came before counts.
   * It carries nothing: it says "look again", and the truth is in the event log.
   */
  signalled(name: string, ms: number): Promise<boolean>
}

/** What an activity may ask of the engine. */
export interface ActivityContext {
  /** Fires at shutdown: the activity stops, and is run again later. */
  readonly signal: AbortSignal
}

export type Activities = Readonly<Record<string, (input: never, context: ActivityContext) => Promise<unknown>>>

export type Workflow<A, I, O = void> = (ctx: WorkflowContext<A>, input: I) => Promise<O>

export interface ActivityPolicy {
  /** One attempt may take this long. */
  readonly timeoutMs: number
  /** A process that has not said for so long that it lives is taken for dead, by engines that know of several. */
  readonly heartbeatMs?: number
  readonly attempts: number
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  /** The pool whose slots the activity holds while it runs. */
  readonly pool: string
}

export interface StartOptions {
  /** 1 first … 5 last. */
  readonly priority?: number
  /** Among equals of one priority, owners take turns. */
  readonly owner?: string
}

export interface Engine {
  /** Starts a workflow once: while one runs under this id, a second start does nothing. */
  start(workflow: string, id: string, input: unknown, options?: StartOptions): Promise<void>
  signal(id: string, name: string): Promise<void>
  /** Starts a workflow every `everyMs`; one that is due while the last still runs is left out. */
  schedule(id: string, workflow: string, everyMs: number): Promise<void>
  /**
   * Resolves with the workflow's result. When none runs under this id: with what the last one came to, where the engine
   * remembers it, otherwise undefined.
   */
  result(id: string): Promise<unknown>
  /** Abandons what runs here, as a crash would; nothing is thrown into it. An engine that remembers goes on elsewhere, or later. */
  stop(): Promise<void>
}
