import type { CommandContext } from './command.ts'
import type { EventStore, StoredEvent } from './eventStore.ts'

/** How a chain of events began: what the commands that follow from its first event carry on. */
export type Origin = Required<Pick<CommandContext, 'correlationId' | 'causationId'>>

/** Names one event of a stream. */
export interface Beginning {
  readonly id: string
  readonly is: (event: StoredEvent) => boolean
}

/** The origin of what happens on a stream, or on a part of it; undefined while nothing has happened. */
export type OriginOf = (stream: string, beginning?: Beginning) => Promise<Origin | undefined>

/**
 * Reads where things began from the log, which every process has and no restart forgets. Those asked for last are
 * remembered: what began does not change.
 */
export function createOrigins(store: Pick<EventStore, 'readStream'>, { max = 10_000 } = {}): OriginOf {
  const known = new Map<string, Origin>()

  return async (stream, beginning) => {
    const key = beginning ? `${stream} ${beginning.id}` : stream
    const found = known.get(key)
    if (found) return found
    for await (const event of store.readStream(stream)) {
      if (beginning && !beginning.is(event)) continue
      const origin = { correlationId: String(event.meta.correlationId ?? event.id), causationId: event.id }
      if (known.size >= max) known.delete(known.keys().next().value!)
      known.set(key, origin)
      return origin
    }
    return undefined
  }
}
