import type { SavedSnapshot, SnapshotStore } from '../snapshotStore.port.ts'

/** A snapshot store in memory, without protection, for specs. */
export function createMemorySnapshots(): SnapshotStore & { readonly saved: Map<string, SavedSnapshot> } {
  const saved = new Map<string, SavedSnapshot>()
  return {
    saved,
    load: async (stream) => saved.get(stream),
    save: (stream, snapshot) => void saved.set(stream, JSON.parse(JSON.stringify(snapshot))),
    close: async () => {},
  }
}
