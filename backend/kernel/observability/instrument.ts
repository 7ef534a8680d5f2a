import type { Histogram } from 'prom-client'
import { ConcurrencyConflict, type EventStore, type StreamAppend } from '../eventsourcing/eventStore.port.ts'
import type { Changes } from '../postgres/changes.ts'
import type { Metrics } from './metrics.ts'
import { isTracing, traced } from './tracing.ts'

/** String literals that an answer or its `kind` can be. Excludes `string`, because a metric label must be bounded. */
type OutcomeOf<Answer> = Answer extends { readonly kind: infer Kind extends string }
  ? Literal<Kind>
  : Answer extends string
    ? Literal<Answer>
    : never
type Literal<Text extends string> = string extends Text ? never : Text
type OutcomesOf<Method> = Method extends (...args: never[]) => Promise<infer Answer> ? OutcomeOf<Answer> : never

/** Measures a call. `outcome` is the answer or its `kind` if listed in `outcomes`, `error` if it throws, else `ok`. */
async function measure<T>(
  work: () => Promise<T>,
  seconds: Histogram<string>,
  labels: Record<string, string>,
  outcomes: readonly string[],
): Promise<T> {
  const end = seconds.startTimer(labels)
  try {
    const answer = await work()
    const outcome: unknown = typeof answer === 'object' && answer !== null && 'kind' in answer ? answer.kind : answer
    end({ outcome: outcomes.find((known) => known === outcome) ?? 'ok' })
    return answer
  } catch (error) {
    end({ outcome: 'error' })
    throw error
  }
}

/** Wraps each method for which `wrap` returns a function. Other members are unchanged; private fields still work. */
function wrapMethods<T extends object>(
  target: T,
  wrap: (name: string) => ((call: () => Promise<unknown>, input: unknown) => unknown) | undefined,
): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      const run = typeof name === 'string' ? wrap(name) : undefined
      return run ? (...args: unknown[]) => run(() => method(...args), args[0]) : method
    },
  })
}

/** Methods to measure, with the answers to report as `outcome`. */
type MeasuredMethods<T> = {
  readonly [Name in keyof T & string]?: { readonly outcomes?: readonly OutcomesOf<T[Name]>[] }
}

/**
 * Measures calls to an external service, as spans and in `kinora_provider_call_seconds`.
 * @example instrumentPort(metrics, 'mail', mailer, { send: { outcomes: ['sent', 'refused'] } })
 */
export const instrumentPort = <T extends object>(
  { calls }: Metrics,
  port: string,
  target: T,
  methods: MeasuredMethods<T>,
): T =>
  wrapMethods(target, (name) => {
    const method = methods[name as keyof T & string]
    const { name: service } = target as { name?: unknown }
    const attributes = { port, ...(typeof service === 'string' && { service }), call: name }
    return (
      method &&
      ((run) =>
        traced('call', attributes, () => measure(run, calls, { port, call: name }, method.outcomes ?? []), CLIENT))
    )
  })

const CLIENT = { kind: 'client' } as const

/**
 * Measures workflow activity attempts in `kinora_activity_seconds`, with any workflow engine. Their spans continue the trace of the request
 * that submitted the task.
 * @param correlationOf returns the correlation id of a task
 */
export const instrumentActivities = <T extends object>(
  { activities }: Metrics,
  target: T,
  outcomes: readonly OutcomesOf<T[keyof T]>[],
  correlationOf: (taskId: string) => Promise<string | undefined>,
): T =>
  wrapMethods(target, (activity) => async (run, input) => {
    const work = () => measure(run, activities, { activity }, outcomes)
    if (!isTracing()) return work()
    const { taskId } = (input ?? {}) as { taskId?: unknown }
    const correlationId = typeof taskId === 'string' ? await correlationOf(taskId).catch(() => undefined) : undefined
    return traced('activity', { activity }, work, { correlationId })
  })

const categoryOf = ({ stream }: StreamAppend) => stream.replace(/-.*/s, '')

/** Measures appends to the event store. One to several streams counts as one. */
export function instrumentStore({ appends, events: stored }: Metrics, store: EventStore): EventStore {
  const measured = <T>(parts: readonly StreamAppend[], append: () => Promise<T>): Promise<T> =>
    traced('append', { category: categoryOf(parts[0]!), streams: parts.length }, () => counted(parts, append))
  const counted = async <T>(parts: readonly StreamAppend[], append: () => Promise<T>): Promise<T> => {
    const end = appends.startTimer()
    try {
      const appended = await append()
      end({ outcome: 'stored' })
      for (const part of parts) stored.inc({ category: categoryOf(part) }, part.events.length)
      return appended
    } catch (error) {
      end({ outcome: error instanceof ConcurrencyConflict ? 'conflict' : 'error' })
      throw error
    }
  }
  return {
    append: (stream, expected, events) =>
      measured([{ stream, expected, events }], () => store.append(stream, expected, events)),
    ...(store.appendAll && { appendAll: (parts) => measured(parts, () => store.appendAll!(parts)) }),
    readStream: (...args) => store.readStream(...args),
    subscribeAll: (options) => store.subscribeAll(options),
    head: () => store.head(),
    newest: (prefixes) => store.newest(prefixes),
    probe: () => store.probe(),
    close: () => store.close(),
  }
}

/** Measures how long responses wait for read models to catch up. */
export function instrumentChanges({ readWaits }: Metrics, changes: Changes): Changes {
  return {
    ...changes,
    async waitFor(names, position, timeoutMs) {
      const end = readWaits.startTimer()
      await changes.waitFor(names, position, timeoutMs)
      end()
    },
  }
}
