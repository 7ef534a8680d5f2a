import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { Starter } from './engine.port.ts'

/** Work in progress as of the log position `upTo`, which is undefined before the first event. */
export type OpenWork<Item> = Readonly<{ upTo: GlobalPosition | undefined; items: readonly Item[] }>

/** Starts one kind of workflow: for work in progress when the last process stopped, then for new events. */
export interface LogTrigger<E extends Event = Event, Item = unknown> {
  readonly category: string
  readOpenWork(): Promise<OpenWork<Item>>
  resume(engine: Starter, item: Item): Promise<void>
  /** Handles an event after the position of the open work. */
  react(engine: Starter, event: Stored<E>): Promise<void> | undefined
  /** Resumes items while handling new events, because there may be many items and no user waits for them. */
  readonly resumeInBackground?: true
}

export interface LogTriggers {
  readonly store: EventStore
  readonly engine: Starter
  readonly triggers: readonly LogTrigger[]
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

const RETRY_MS = 1_000

/** Runs the triggers until the signal aborts. Restarts after an error: starting a workflow twice has no effect. */
export async function runLogTriggers(run: LogTriggers): Promise<void> {
  while (!run.signal.aborted) {
    try {
      await resumeAndFollow(run)
    } catch (error) {
      if (run.signal.aborted) return
      run.onError(error)
      await delay(RETRY_MS, undefined, { signal: run.signal }).catch(() => {})
    }
  }
}

async function resumeAndFollow({ store, engine, triggers, signal }: LogTriggers): Promise<void> {
  const open = await Promise.all(
    triggers.map(async (trigger) => ({ trigger, prefix: prefixOf(trigger), ...(await trigger.readOpenWork()) })),
  )
  const resume = async (inBackground: boolean, signal: AbortSignal) => {
    for (const { trigger, items } of open.filter(({ trigger }) => Boolean(trigger.resumeInBackground) === inBackground))
      for (const item of items) if (!signal.aborted) await trigger.resume(engine, item)
  }
  const follow = async (signal: AbortSignal) => {
    const streamPrefixes = [...new Set(triggers.map(prefixOf))] as [string, ...string[]]
    for await (const { events } of store.subscribeAll({ from: earliest(open), streamPrefixes, signal }))
      for (const event of events)
        for (const { trigger, prefix, upTo } of open)
          if (event.stream.startsWith(prefix) && event.position > (upTo ?? '')) await trigger.react(engine, event)
  }
  await resume(false, signal)
  await all([follow, (signal) => resume(true, signal)], signal)
}

const prefixOf = ({ category }: LogTrigger) => `${category}-`

const earliest = (open: readonly OpenWork<unknown>[]) =>
  open.some(({ upTo }) => upTo === undefined) ? undefined : open.map(({ upTo }) => upTo).toSorted()[0]

/** Runs jobs until all are done. If one fails, aborts the others and waits for them to end. */
async function all(jobs: readonly ((signal: AbortSignal) => Promise<void>)[], signal: AbortSignal): Promise<void> {
  const failed = new AbortController()
  const running = jobs.map((job) => job(AbortSignal.any([signal, failed.signal])))
  try {
    await Promise.all(running)
  } finally {
    failed.abort()
    await Promise.allSettled(running)
  }
}
