import type { CommandContext, Handled } from './command.ts'
import type { EventStore } from './eventStore.port.ts'
import { Lane } from './lane.ts'
import type { Decider, Event } from './pure/decider.ts'

/** Runs deciders against their streams. */
export type Handle = ReturnType<typeof createHandle>

/**
 * Creates a {@link Handle} that decides one command at a time per stream, in a lane that caches the folded state. It
 * keeps the `maxLanes` most recently used lanes; the stream of an evicted lane is read again when needed.
 * @example const handle = createHandle(createPostgresEventStore(pool))
 */
export function createHandle(store: EventStore, { maxLanes = 10_000 } = {}) {
  const lanes = new Map<string, { readonly idle: boolean }>()

  const laneOf = <S, C, E extends Event>(decider: Decider<S, C, E>, id: string): Lane<S, C, E> => {
    const stream = `${decider.category}-${id}`
    const lane = (lanes.get(stream) as Lane<S, C, E> | undefined) ?? new Lane(store, decider, stream)
    lanes.delete(stream)
    lanes.set(stream, lane)
    for (const [name, oldest] of lanes) {
      if (lanes.size <= maxLanes) break
      if (oldest.idle) lanes.delete(name)
    }
    return lane
  }

  /**
   * Decides a command on its aggregate and appends the events.
   * @throws Rejection if a rule forbids the command
   * @throws StreamBusy if other writers won every attempt
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

  return Object.assign(handle, { read })
}
