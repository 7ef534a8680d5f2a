import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import type { Draft, StoredDraft } from '../contract.ts'
import { type About, keyFor, seal, unseal } from '../keys/seal.ts'

/** Time in which a link works and its draft is stored. */
export const START_LIFETIME_MS = 3_600_000
/** Stored pictures of all visitors, and of those from one network, together. */
const MAX_IMAGE_BYTES = { all: 500 * 1024 * 1024, network: 100 * 1024 * 1024 }
const PURPOSE = 'start drafts'

/** Derives the key that seals drafts and pictures. */
export const startKey = (masterKey: string): Buffer => keyFor(PURPOSE, masterKey)

/** @param row id of the link or the picture */
export const aboutStart = (row: string): About => ({ purpose: PURPOSE, row })

export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
export const newToken = () => randomBytes(32).toString('base64url')

/** Deletes expired links with their drafts, and pictures that no link holds. */
export async function removeExpiredStarts(database: Database, now: number): Promise<void> {
  const em = database.em.fork()
  await query(em, 'delete from start_link where expires_at < $1', [new Date(now)])
  await query(em, 'delete from start_image where expires_at < $1', [new Date(now)])
}

/**
 * Removes what exceeds the limits. A picture counts with the newer ones of its network, and those that count least stay. So a
 * network that holds little loses nothing to one that holds much, however many there are.
 */
const EVICT = `
  with held as (
    select id, bytes, sum(bytes) over (partition by network order by expires_at desc, id desc) as own from start_image
  ), ranked as (
    select id, own, sum(bytes) over (order by own, id) as everyone from held
  )
  delete from start_image where id in (
    select id from start_image where id in (select id from ranked where own > $1 or everyone > $2)
    order by id for update skip locked
  ) returning id`

type Sealed = Omit<Draft, 'image'> & { readonly first_frame_image_url?: string }

export type StartDrafts = ReturnType<typeof createStartDrafts>

/** Returns what is sealed; undefined if the key has been lost since. */
function opened(key: Buffer, row: string, text: string): Buffer | undefined {
  try {
    return unseal(key, text, aboutStart(row))
  } catch {
    return undefined
  }
}

function createDraftImages(database: Database, key: Buffer, now: Clock, limits: typeof MAX_IMAGE_BYTES) {
  const networkHash = (network: string) => createHmac('sha256', key).update(`network ${network}`).digest('base64url')

  return {
    /**
     * Stores a picture for a draft of a visitor from a network. Returns its token. Where there is no room, the oldest pictures
     * of the networks that hold the most make it. @throws Rejection uploads_busy, if that is this network
     */
    async keepImage(data: Buffer, network: string): Promise<string> {
      await removeExpiredStarts(database, now())
      const [id, token] = [uuid7(), newToken()]
      const expiresAt = new Date(now() + START_LIFETIME_MS)
      const sealed = seal(key, data, aboutStart(id))
      const row = [id, hashOf(token), sealed, data.length, expiresAt, networkHash(network)]
      await database.em.fork().transactional(async (tx) => {
        const sql = `insert into start_image (id, hash, sealed, bytes, expires_at, network) values ($1, $2, $3, $4, $5, $6)`
        await query(tx, sql, row)
        const evicted = await query<{ id: string }>(tx, EVICT, [limits.network, limits.all])
        if (evicted.some((each) => each.id === id))
          throw new Rejection('uploads_busy', 'Many pictures are being uploaded. Please try again.', { retryAfter: 60 })
      })
      return token
    },

    /** @throws ValidationError unknown_image, if a draft names a picture that is not stored or that a link holds */
    async assertImage(token: string | undefined): Promise<void> {
      if (token === undefined) return
      const sql = 'select 1 from start_image where hash = $1 and link_id is null and expires_at > $2'
      const found = await query(database, sql, [hashOf(token), new Date(now())])
      if (found.length === 0) throw new ValidationError([{ path: 'draft.image', code: 'unknown_image' }])
    },
  }
}

/** Creates the store of the drafts that sign-in links carry. Drafts and pictures are sealed and live for an hour. */
export function createStartDrafts(database: Database, key: Buffer, now: Clock, limits = MAX_IMAGE_BYTES) {
  const sealed = (row: string, draft: Sealed) => seal(key, Buffer.from(JSON.stringify(draft)), aboutStart(row))
  /** Returns the picture of a link. */
  const readImage = async (tx: EntityManager, linkId: string): Promise<Buffer | undefined> => {
    const sql = 'select id, sealed from start_image where link_id = $1'
    const [row] = await query<{ id: string; sealed: string }>(tx, sql, [linkId])
    return row && opened(key, row.id, row.sealed)
  }

  return {
    ...createDraftImages(database, key, now, limits),

    /** Stores a draft with its link, in the caller's transaction. */
    async attach(tx: EntityManager, linkId: string, { image, ...draft }: Draft): Promise<void> {
      await query(tx, 'update start_link set sealed = $1 where id = $2', [sealed(linkId, draft), linkId])
      if (!image) return
      const sql = 'update start_image set link_id = $1, expires_at = $2 where hash = $3 and link_id is null'
      await query(tx, sql, [linkId, new Date(now() + START_LIFETIME_MS), hashOf(image)])
    },

    /** Returns what the page of a link shows. */
    async preview(linkId: string, text: string | null) {
      const { prompt = '', plan = null } = read(text && opened(key, linkId, text))
      const images = await query(database, 'select 1 from start_image where link_id = $1', [linkId])
      return { prompt, plan, has_image: images.length > 0 }
    },

    /**
     * Returns the draft of the link that a user opened last. Its picture becomes one of the user's uploads: the lock makes a
     * second tab wait for it, and after a failure it is still there.
     * @param storeImage stores a picture and returns its URL
     */
    read: (userId: string, storeImage: (data: Buffer) => Promise<string>): Promise<StoredDraft | null> =>
      database.em.fork().transactional(async (tx) => {
        const sql = `select id, sealed from start_link where user_id = $1 and confirmed_at is not null and sealed is not null
          and expires_at > $2 order by confirmed_at desc limit 1 for update`
        const [row] = await query<{ id: string; sealed: string }>(tx, sql, [userId, new Date(now())])
        const text = row && opened(key, row.id, row.sealed)
        if (!row || !text) return null
        const draft = read(text)
        const image = await readImage(tx, row.id)
        if (!image) return { ...draft, key: row.id }
        const url = await storeImage(image).catch(unlessFull)
        if (!url) return { ...draft, key: row.id }
        const stored = { ...draft, first_frame_image_url: url }
        await query(tx, 'update start_link set sealed = $1 where id = $2', [sealed(row.id, stored), row.id])
        await query(tx, 'delete from start_image where link_id = $1', [row.id])
        return { ...stored, key: row.id }
      }),

    /** Deletes a used draft of a user with its link. Returns whether there was one. */
    async remove(userId: string, id: string): Promise<boolean> {
      // As text, because the id comes from the path and may be no UUID.
      const sql = `delete from start_link where id::text = $1 and user_id = $2 and confirmed_at is not null returning id`
      return (await query(database, sql, [id, userId])).length > 0
    },
  }
}

/** A draft without its picture is better than none. */
function unlessFull(error: unknown): undefined {
  if (!(error instanceof Rejection) || error.code !== 'too_many_unused_images') throw error
}

const read = (text: Buffer | undefined | null | ''): Sealed => (text ? (JSON.parse(text.toString()) as Sealed) : {})
