import type { Join } from './appendTogether.ts'
import type { CommandContext, Handled } from './command.ts'
import type { EventStore, Stored } from './eventStore.port.ts'
import { Lane } from './lane.ts'
import { LaneCache } from './laneCache.ts'
import type { Decider, Event } from './pure/decider.ts'
import { Quarantine } from './quarantine.ts'
import type { SnapshotStore } from './snapshotStore.port.ts'
import type { OnFirst } from './streamReader.ts'

/** Runs deciders against their streams. */
export type Handle = ReturnType<typeof createHandle>

/** A command that has not been sent. */
export interface Step<S> {
  /** Sends the command by itself. */
  readonly send: () => Promise<Handled<S>>
  /**
   * Sends the command and then, for the state after it, those that follow, in their order. Stores the events of as many
   * of them as it can in one commit; `followed` has their results. The caller sends the others by themselves.
   * @example
   * const { followed: [submitted = await submit.send()] } = await hold.sendWith(() => [submit])
   */
  readonly sendWith: <F extends readonly Step<unknown>[]>(
    following: (state: S) => F | readonly [],
  ) => Promise<Handled<S> & { readonly followed: { readonly [N in keyof F]?: Awaited<ReturnType<F[N]['send']>> } }>
  readonly join: Join
}

interface HandleOptions {
  readonly quarantine?: Quarantine
  /** Without it, streams are read from their start. */
  readonly snapshots?: SnapshotStore
  /** Approximate memory for the lanes of each category. */
  readonly cacheBytes?: number
  readonly onFirst?: OnFirst
}

/**
 * Creates a {@link Handle} that decides one command at a time per stream, in a lane that caches the folded state. The
 * most recently used lanes of each category stay in memory; the stream of an evicted lane is read again when needed.
 * @example const handle = createHandle(createPostgresEventStore(pool))
 */
export function createHandle(
  store: EventStore,
  { quarantine = new Quarantine(), snapshots, cacheBytes = 32_000_000, onFirst }: HandleOptions = {},
) {
  const caches = new Map<string, unknown>()

  const laneOf = <S, C, E extends Event>(decider: Decider<S, C, E>, id: string): Lane<S, C, E> => {
    const { category } = decider
    const cache = (caches.get(category) as LaneCache<Lane<S, C, E>> | undefined) ?? new LaneCache(cacheBytes)
    caches.set(category, cache)
    const stream = `${category}-${id}`
    const onIdle = () => cache.weigh(stream)
    return cache.get(stream, () => new Lane({ store, quarantine, snapshots, onIdle, onFirst }, decider, stream))
  }

  /**
   * Decides a command on its aggregate and appends the events.
   * @throws Rejection if a rule forbids the command
   * @throws StreamBusy if other writers won every attempt
   * @throws StreamBroken or UnknownEvent if the stream cannot be read
   * @example const { state } = await handle(videoTask, taskId, { type: 'Delete', at }, context)
   */
  const handle = <S, C, E extends Event>(
    decider: Decider<S, C, E>,
    id: string,
    command: C,
    context: CommandContext,
  ): Promise<Handled<S>> => laneOf(decider, id).decide(command, context)

  /**
   * Returns the current state of an aggregate without appending anything.
   * @example const { state } = await handle.read(videoTask, taskId)
   */
  const read = <S, C, E extends Event>(decider: Decider<S, C, E>, id: string): Promise<Handled<S>> =>
    laneOf(decider, id).read()

  /**
   * Returns a state of an aggregate that may lack the latest events of other processes. Use it only to decide whether a
   * command, which sees them, is worth sending.
   * @example const { state } = await handle.peek(videoTask, taskId)
   */
  const peek = <S, C, E extends Event>(decider: Decider<S, C, E>, id: string): Promise<Handled<S>> =>
    laneOf(decider, id).peek()

  /** Returns a command to be sent later, once or repeatedly, by itself or together with others. */
  const step = <S, C, E extends Event>(
    decider: Decider<S, C, E>,
    id: string,
    command: C,
    context: CommandContext,
  ): Step<S> => ({
    send: () => handle(decider, id, command, context),
    sendWith: async (following) => {
      const joins = (state: S) => following(state).map(({ join }) => join)
      return { followed: [], ...(await laneOf(decider, id).decide(command, context, joins)) } as never
    },
    join: () => laneOf(decider, id).join(command, context),
  })

  /** Applies an event from the log to the cached state of its stream, so that the next command need not read it. */
  const follow = (stored: Stored): void => {
    const [category = ''] = stored.stream.split('-', 1)
    const cache = caches.get(category) as LaneCache<Lane<unknown, unknown, Event>> | undefined
    cache?.find(stored.stream)?.follow(stored)
  }

  return Object.assign(handle, { read, peek, step, follow })
}
