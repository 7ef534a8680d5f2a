import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { type EventSchemas, UnknownEvent, upcast } from '#backend/kernel/eventsourcing/pure/eventSchemas.ts'
import type { Starter } from './engine.port.ts'
import { type Start, Starts } from './starts.ts'

/** Work in progress as of the log position `upTo`, which is undefined before the first event. */
export type OpenWork<Item> = Readonly<{ upTo: GlobalPosition | undefined; items: readonly Item[] }>

/** Starts one kind of workflow: for work in progress when the last process stopped, then for new events. */
export interface LogTrigger<E extends Event = Event, Item = unknown> {
  readonly category: string
  readonly schemas: EventSchemas<E['type']>
  readOpenWork(): Promise<OpenWork<Item>>
  resume(item: Item): Start
  /** Handles an event after the position of the open work. */
  react(event: Stored<E>): Start | undefined
  /** Resumes items while nothing else is ready, because there may be many items and no user waits for them. */
  readonly resumeInBackground?: true
}

export interface LogTriggers {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly engine: Starter
  readonly triggers: readonly LogTrigger[]
  readonly signal: AbortSignal
  /** `failed`: number of starts that will be repeated; undefined if the log could not be followed. */
  readonly onError: (error: unknown, failed?: number) => void
  /** Maximum number of starts in flight; 32 by default. */
  readonly inFlight?: number
  /** Waits before a retry; a second by default. */
  readonly pause?: (signal: AbortSignal) => Promise<void>
}

/** More in flight compete with the first steps of the runs that they start; fewer do not fill the round trips. */
const IN_FLIGHT = 32
/** Maximum number of entities with unfinished starts before reading on. The rest waits in the log. */
const READ_AHEAD = 10_000
const RETRY_MS = 1_000
const aSecond = (signal: AbortSignal) => delay(RETRY_MS, undefined, { signal }).catch(() => {})

/**
 * Runs the triggers until the signal aborts. Nothing is stored: after a restart, or if the log cannot be followed, the
 * open work is read again, and starting a workflow twice has no effect.
 */
export async function runLogTriggers(run: LogTriggers): Promise<void> {
  const { signal, onError, pause = aSecond } = run
  while (!signal.aborted) {
    try {
      await resumeAndFollow(run)
    } catch (error) {
      if (signal.aborted) return
      onError(error)
      await pause(signal)
    }
  }
}

async function resumeAndFollow(run: LogTriggers): Promise<void> {
  const { store, engine, triggers, signal, onError, inFlight = IN_FLIGHT, pause = aSecond } = run
  const open = await Promise.all(
    triggers.map(async (trigger) => ({ trigger, prefix: prefixOf(trigger), ...(await trigger.readOpenWork()) })),
  )
  function* resumed(inBackground: boolean) {
    for (const { trigger, items } of open)
      if (Boolean(trigger.resumeInBackground) === inBackground) for (const item of items) yield trigger.resume(item)
  }
  const starts = new Starts({ engine, inFlight, background: resumed(true), pause: () => pause(signal), onError })
  const stop = () => void starts.stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (const start of resumed(false)) starts.add(start)
    const streamPrefixes = [...new Set(triggers.map(prefixOf))] as [string, ...string[]]
    for await (const { events } of store.subscribeAll({
      name: 'triggers',
      from: earliest(open),
      streamPrefixes,
      signal,
    })) {
      for (const event of events)
        for (const { trigger, prefix, upTo } of open) {
          if (!event.stream.startsWith(prefix) || event.position <= (upTo ?? '')) continue
          const start = reactTo(trigger, event, onError)
          if (start) starts.add(start)
        }
      await starts.room(READ_AHEAD)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await starts.stop()
  }
}

/** Returns undefined for an event of a newer release, whose processes start the workflow. */
function reactTo(trigger: LogTrigger, stored: Stored, onError: LogTriggers['onError']): Start | undefined {
  try {
    return trigger.react(upcast(trigger.schemas, stored))
  } catch (error) {
    if (!(error instanceof UnknownEvent)) throw error
    onError(error)
    return undefined
  }
}

const prefixOf = ({ category }: LogTrigger) => `${category}-`

const earliest = (open: readonly OpenWork<unknown>[]) =>
  open.some(({ upTo }) => upTo === undefined) ? undefined : open.map(({ upTo }) => upTo).toSorted()[0]
