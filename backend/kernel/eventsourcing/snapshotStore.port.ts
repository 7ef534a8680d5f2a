/** Folded state of a stream after an event. */
export interface SavedSnapshot {
  /** Snapshot version of the decider that folded the state. */
  readonly version: number
  readonly revision: number
  /** Hash of the event. */
  readonly hash: string
  readonly state: unknown
}

/**
 * Keeps one snapshot per stream. Snapshots only save time: without one, a stream is read from its start, so no method
 * throws.
 */
export interface SnapshotStore {
  /** Returns the snapshot of a stream; undefined if there is none, or if it was not written by this installation. */
  load(stream: string): Promise<SavedSnapshot | undefined>
  /** Saves a snapshot in the background. */
  save(stream: string, snapshot: SavedSnapshot): void
  /** Waits for snapshots that are being saved. */
  close(): Promise<void>
}
