import type { CommandContext, Handled } from './command.ts'
import type { EventStore } from './eventStore.port.ts'
import { Lane } from './lane.ts'
import type { Decider, Event } from './pure/decider.ts'

/**
 * Decides a command on its aggregate and appends what it decided.
 * @throws Rejection a rule forbids it  @throws StreamBusy other writers were faster, time after time
 */
export type Handle = <S, C, E extends Event>(
  decider: Decider<S, C, E>,
  id: string,
  command: C,
  context: CommandContext,
) => Promise<Handled<S>>

type AnyLane = Lane<unknown, unknown, Event>

/**
 * One process decides one command at a time per stream, in a lane that keeps the folded state. The lanes used last stay
 * in memory, `maxLanes` of them; a lane that is dropped is read again when it is needed.
 */
export function createHandle(store: EventStore, { maxLanes = 10_000 } = {}): Handle {
  const lanes = new Map<string, AnyLane>()

  const laneOf = (decider: Decider<unknown, unknown, Event>, id: string): AnyLane => {
    const stream = `${decider.category}-${id}`
    const lane = lanes.get(stream) ?? new Lane(store, decider, stream)
    lanes.delete(stream)
    lanes.set(stream, lane)
    for (const [name, oldest] of lanes) {
      if (lanes.size <= maxLanes) break
      if (oldest.idle) lanes.delete(name)
    }
    return lane
  }

  return <S, C, E extends Event>(decider: Decider<S, C, E>, id: string, command: C, context: CommandContext) =>
    laneOf(decider as unknown as Decider<unknown, unknown, Event>, id).decide(command, context) as Promise<Handled<S>>
}
