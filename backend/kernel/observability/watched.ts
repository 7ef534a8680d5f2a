import type { Histogram } from 'prom-client'
import { ConcurrencyConflict, type EventStore } from '../eventsourcing/eventStore.port.ts'
import type { Changes } from '../postgres/changes.ts'
import type { Metrics } from './metrics.ts'

type Measured = Histogram<'outcome'> | Histogram<'activity' | 'outcome'> | Histogram<'port' | 'call' | 'outcome'>

/** Measures a promise; the outcome is what an answer calls itself (`kind`, or a word), `ok`, or `error` when it throws. */
async function measured<T>(work: () => Promise<T>, seconds: Measured, labels: Record<string, string>): Promise<T> {
  const end = (seconds as Histogram<string>).startTimer(labels)
  try {
    const answer = await work()
    end({ outcome: outcomeOf(answer) })
    return answer
  } catch (error) {
    end({ outcome: 'error' })
    throw error
  }
}

function outcomeOf(answer: unknown): string {
  const said = typeof answer === 'object' && answer !== null && 'kind' in answer ? answer.kind : answer
  return typeof said === 'string' ? said : 'ok'
}

/** The same object, with each of these methods measured. Everything else is passed through, getters and private fields too. */
function each<T extends object>(
  target: T,
  names: readonly string[] | 'all',
  wrap: (name: string, call: () => unknown) => unknown,
): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      if (typeof name !== 'string' || !(names === 'all' || names.includes(name))) return method
      return (...args: unknown[]) => wrap(name, () => method(...args))
    },
  })
}

/** Measures these methods of a port. A record gives methods the label that their calls had before they were renamed. */
export const watchedPort = <T extends object>(
  { calls }: Metrics,
  port: string,
  target: T,
  methods: readonly (keyof T & string)[] | Readonly<Partial<Record<keyof T & string, string>>>,
): T => {
  const labels = new Map(Array.isArray(methods) ? methods.map((name) => [name, name]) : Object.entries(methods))
  return each(target, [...labels.keys()], (name, run) =>
    measured(run as () => Promise<unknown>, calls, { port, call: labels.get(name)! }),
  )
}

/** Activities whose attempts are counted by outcome, whatever engine runs them. */
export const watchedActivities = <T extends object>({ activities }: Metrics, target: T): T =>
  each(target, 'all', (activity, run) => measured(run as () => Promise<unknown>, activities, { activity }))

/** The event store, with its appends measured. */
export function watchedStore({ appends, events: stored }: Metrics, store: EventStore): EventStore {
  return {
    async append(stream, expected, events) {
      const end = appends.startTimer()
      try {
        const appended = await store.append(stream, expected, events)
        end({ outcome: 'stored' })
        stored.inc({ category: stream.split('-', 1)[0]! }, events.length)
        return appended
      } catch (error) {
        end({ outcome: error instanceof ConcurrencyConflict ? 'conflict' : 'error' })
        throw error
      }
    },
    readStream: (...args) => store.readStream(...args),
    subscribeAll: (options) => store.subscribeAll(options),
    head: () => store.head(),
    close: () => store.close(),
  }
}

/** Changes, with the time measured that answers wait for their read models. */
export function watchedChanges({ readWaits }: Metrics, changes: Changes): Changes {
  return {
    ...changes,
    async reached(names, position, timeoutMs) {
      const end = readWaits.startTimer()
      await changes.reached(names, position, timeoutMs)
      end()
    },
  }
}
