import { Readable } from 'node:stream'
import type { MediaStore } from '#backend/kernel/media/mediaStore.port.ts'
import type { Latency, Scheduler } from '../time/scheduler.ts'

const CALL: Latency = { min: 5, max: 120 }

/** A bucket that all machines share. */
export function createSimulatedMedia(scheduler: Scheduler): MediaStore & { readonly files: ReadonlySet<string> } {
  const files = new Set<string>()
  return {
    files,
    put: (key) => scheduler.call(CALL, () => void files.add(key)),
    size: (key) => scheduler.call(CALL, () => (files.has(key) ? 1_000 : undefined)),
    read: () => Readable.from([]),
    localPath: (key) => scheduler.call(CALL, () => key),
    remove: (key) => scheduler.call(CALL, () => void files.delete(key)),
  }
}
