import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { assertRoom } from './assertRoom.ts'

/** Uploads in progress on this process. Each keeps its file of up to 20 MB in memory until it has been decoded. */
const MAX_RUNNING = 16
/** Uploads in progress at which visitors wait: a stranger may have many networks, and uploads that take minutes. */
const MAX_RUNNING_FOR_VISITORS = 8
const HOURLY = { burst: 60, everyMs: 60_000 }
/** Pictures of the visitors from one network. */
const VISITORS = { burst: 10, everyMs: 360_000 }

/** Counts an attempt. @throws Rejection too_many_requests */
type Take = (kind: string, subject: string, limit: Readonly<{ burst: number; everyMs: number }>) => Promise<void>

export type UploadLimits = ReturnType<typeof createUploadLimits>

/** Limits the uploads of a user, and the uploads in progress on this process. */
export function createUploadLimits(database: Database, take: Take) {
  const running = new Set<string>()

  const countHourly = (userId: string) =>
    take('upload', userId, HOURLY).catch((error) => {
      if (!(error instanceof Rejection)) throw error
      throw new Rejection('too_many_uploads', 'You have uploaded 60 pictures in an hour.', error.fields)
    })

  /** Runs an upload after its checks, one at a time per sender. */
  const runAlone = async <T>(
    sender: string,
    check: () => Promise<void>,
    upload: () => Promise<T>,
    maxRunning = MAX_RUNNING,
  ): Promise<T> => {
    if (running.has(sender))
      throw new Rejection('upload_running', 'Another upload of yours is still running.', { retryAfter: 2 })
    if (running.size >= maxRunning)
      throw new Rejection('uploads_busy', 'Many pictures are being uploaded. Please try again.', { retryAfter: 5 })
    running.add(sender)
    try {
      await check()
      return await upload()
    } finally {
      running.delete(sender)
    }
  }

  return {
    /**
     * Runs an upload within the limits.
     * @throws Rejection upload_running, uploads_busy, too_many_uploads, too_many_unused_images
     */
    run<T>(userId: string, upload: () => Promise<T>): Promise<T> {
      const check = async () => {
        await countHourly(userId)
        // Before the work. The picture itself is measured when it is stored.
        await assertRoom(database, userId, 1)
      }
      return runAlone(userId, check, upload)
    },

    /**
     * Runs the upload of a visitor within the limits of the network.
     * @throws Rejection upload_running, uploads_busy, too_many_requests
     */
    runForVisitor: <T>(network: string, upload: () => Promise<T>): Promise<T> =>
      runAlone(network, () => take('visitor upload', network, VISITORS), upload, MAX_RUNNING_FOR_VISITORS),
  }
}
