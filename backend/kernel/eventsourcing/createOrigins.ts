import { limitSize } from '../limitSize.ts'
import type { EventSelector, FindOrigin, Origin } from './command.ts'
import type { EventStore, NewEvent } from './eventStore.port.ts'
import type { Event } from './pure/decider.ts'

/**
 * Creates a {@link FindOrigin} that reads the event log, so it works in any process and after restarts. Caches the
 * latest `max` results, because an origin never changes. `remember` spares reading a stream that this process has created or read.
 * @example const { correlationId } = (await createOrigins(store)(`videoTask-${taskId}`)) ?? {}
 */
export function createOrigins(store: Pick<EventStore, 'readStream'>, { max = 10_000 } = {}) {
  const cache = new Map<string, Origin>()

  const remember = (key: string, { id, meta }: Pick<NewEvent, 'id' | 'meta'>): Origin => {
    const origin = { correlationId: String(meta?.correlationId ?? id), causationId: id }
    cache.set(key, origin)
    limitSize(cache, max)
    return origin
  }

  const find: FindOrigin = async <E extends Event>(stream: string, selector?: EventSelector<E>) => {
    const key = selector ? `${stream} ${selector.id}` : stream
    const cached = cache.get(key)
    if (cached) return cached
    for await (const event of store.readStream<E>(stream)) {
      if (selector && !selector.matches(event)) continue
      return remember(key, event)
    }
    return undefined
  }
  return Object.assign(find, { remember })
}
