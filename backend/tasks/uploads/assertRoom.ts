import { readImagesOfVideos } from '#projections/tasks/readVideoTasks.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'

/** Stored pictures of one user that no video uses, and no order that may become one. */
export const MAX_UNUSED_BYTES = 200 * 1024 * 1024
const HOUR_S = 3_600

/**
 * Checks that a user may store another picture. What counts is which videos there are, not what was ordered: an order that is
 * refused, fails or is cancelled costs nothing, so its pictures count as unused.
 * @throws Rejection too_many_unused_images
 */
export async function assertRoom(database: Database, userId: string, bytes: number): Promise<void> {
  const sql = 'select id, bytes from image_upload where user_id = $1'
  const images = await query<{ id: string; bytes: number }>(database, sql, [userId])
  const sizeOf = (list: typeof images) => list.reduce((sum, image) => sum + image.bytes, bytes)
  if (sizeOf(images) <= MAX_UNUSED_BYTES) return
  const used = await readImagesOfVideos(
    database,
    images.map(({ id }) => id),
  )
  if (sizeOf(images.filter(({ id }) => !used.has(id))) <= MAX_UNUSED_BYTES) return
  throw new Rejection('too_many_unused_images', 'Too many of your pictures are not used by a video.', {
    retryAfter: HOUR_S,
  })
}
