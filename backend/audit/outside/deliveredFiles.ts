import type { EventStore, Stored } from '../../kernel/eventsourcing/eventStore.port.ts'
import type { VideoTaskEvent } from '../../tasks/events.ts'
import { type Deviations, type Place, placeOf } from '../deviation.ts'

/** Returns the SHA-256 of a task's video in media storage; undefined if there is no file. */
export type HashVideo = (taskId: string) => Promise<string | undefined>

export interface ComparedFiles {
  /** Files that were compared with the hash of their delivery. */
  readonly compared: number
}

interface DeliveredFile extends Place {
  readonly stream: string
  readonly revision: number
  readonly sha256: string
}

/** Compares delivered videos, as far as their owners have not deleted them, with the hashes in their events. */
export class DeliveredFiles {
  readonly #files = new Map<string, DeliveredFile>()
  readonly #hashVideo: HashVideo

  constructor(hashVideo: HashVideo) {
    this.#hashVideo = hashVideo
  }

  take(event: Stored<VideoTaskEvent>): void {
    const { taskId } = event.data
    if (event.type === 'VideoTaskSucceeded' || event.type === 'VideoTaskRecovered') {
      const { stream, revision } = event
      this.#files.set(taskId, { ...placeOf(event), stream, revision, sha256: event.data.file.sha256 })
    }
    if (event.type === 'VideoTaskDeleted') this.#files.delete(taskId)
  }

  async compare(store: EventStore, deviations: Deviations): Promise<ComparedFiles> {
    let compared = 0
    for (const [taskId, delivered] of this.#files) {
      const sha256 = await this.#hashVideo(taskId)
      if (sha256 === undefined) {
        if (!(await wasDeleted(store, delivered))) deviations.add('delivery', delivered, 'Its video file is missing.')
      } else {
        compared += 1
        if (sha256 !== delivered.sha256)
          deviations.add('delivery', delivered, 'Its video file was changed: the hash of the file is another.')
      }
    }
    return { compared }
  }
}

/** Returns whether the task was deleted after the audit read it. */
async function wasDeleted(store: EventStore, { stream, revision }: DeliveredFile): Promise<boolean> {
  for await (const { type } of store.readStream<VideoTaskEvent>(stream, revision + 1))
    if (type === 'VideoTaskDeleted') return true
  return false
}
