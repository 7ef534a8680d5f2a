import type { EventStore } from './eventStore.port.ts'
import { StreamBroken } from './pure/applyStored.ts'
import type { Event } from './pure/decider.ts'
import { eventHash } from './pure/eventHash.ts'

/** Reads the last event of a stream as recorded outside the log; undefined if nothing is recorded. */
export type ReadHead = (stream: string) => Promise<{ readonly revision: number; readonly hash: string } | undefined>

/**
 * Compares each stream with its recorded head when the head is read. A hash chain alone does not reveal a change to the
 * last event of a stream, or its removal.
 */
export function verifyHeads(store: EventStore, readHead: ReadHead): EventStore {
  return {
    append: (...args) => store.append(...args),
    ...(store.appendAll && { appendAll: store.appendAll.bind(store) }),
    subscribeAll: (options) => store.subscribeAll(options),
    head: () => store.head(),
    newest: (prefixes) => store.newest(prefixes),
    probe: () => store.probe(),
    close: () => store.close(),
    async *readStream<E extends Event>(stream: string, from = 0) {
      // Read before the stream, which therefore contains at least the recorded event.
      const recorded = await readHead(stream)
      const head = recorded && recorded.revision >= from ? recorded : undefined
      let last = from - 1
      for await (const event of store.readStream<E>(stream, from)) {
        last = event.revision
        if (last === head?.revision && eventHash(event) !== head.hash)
          throw new StreamBroken(`${stream}, revision ${last}: does not have the recorded hash`)
        yield event
      }
      if (head && last < head.revision)
        throw new StreamBroken(`${stream}, revision ${head.revision}: is recorded, but the stream ends at ${last}`)
    },
  }
}
