import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import type { Owned } from '../../kernel/ownership.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'
import type { Clock } from '../../kernel/time.ts'
import { refuseDeletedUser } from '../refuseDeletedUser.ts'

/** A public page of a video. */
export interface ShareRow {
  readonly id: string
  readonly taskId: string
  readonly userId: string
  readonly showPrompt: boolean
  readonly showName: boolean
  /** Pixels of the video. */
  readonly width: number
  readonly height: number
  readonly views: number
}

interface NewShare {
  readonly video: Owned<{ readonly id: string; readonly user_id: string }>
  readonly width: number
  readonly height: number
  /** Undefined keeps what an existing share shows. A new share hides both. */
  readonly showPrompt?: boolean | undefined
  readonly showName?: boolean | undefined
}

const ROW = `id, task_id as "taskId", user_id as "userId", show_prompt as "showPrompt", show_name as "showName",
  width, height, views::float as views`
/** Random bytes of an id: nobody can guess an address. */
const ID_BYTES = 16
const ID = /^[\w-]{22}$/

export type Shares = ReturnType<typeof createShares>

/**
 * Creates the store of shares. A share is a row and no event: it is changed and removed, and its id is a secret.
 * See docs/decisions/0038-shares.md.
 */
export function createShares(pool: Pick<pg.Pool, 'query'>, clock: Clock) {
  const readOne = async (sql: string, value: string): Promise<ShareRow | undefined> =>
    (await pool.query<ShareRow>(sql, [value])).rows[0]

  return {
    /** Shares a video, or changes what its share shows. @throws Rejection unauthenticated, if the account was deleted */
    async share({ video, width, height, showPrompt, showName }: NewShare): Promise<ShareRow> {
      const sql = `insert into share as s (id, task_id, user_id, show_prompt, show_name, width, height, created_at)
        values ($1, $2, $3, coalesce($4, false), coalesce($5, false), $6, $7, $8)
        on conflict (task_id) do update set show_prompt = coalesce($4, s.show_prompt), show_name = coalesce($5, s.show_name)
        returning ${ROW}`
      const id = randomBytes(ID_BYTES).toString('base64url')
      const values = [id, video.id, video.user_id, showPrompt, showName, width, height, new Date(clock())]
      return onlyRow(await pool.query<ShareRow>(sql, values).catch(refuseDeletedUser))
    },

    ofTask: (taskId: string) => readOne(`select ${ROW} from share where task_id = $1`, taskId),

    find: async (id: string) => (ID.test(id) ? readOne(`select ${ROW} from share where id = $1`, id) : undefined),

    async end({ id: taskId }: Owned<{ readonly id: string }>): Promise<void> {
      await pool.query('delete from share where task_id = $1', [taskId])
    },

    async countView(id: string): Promise<void> {
      await pool.query('update share set views = views + 1 where id = $1', [id])
    },
  }
}

/** Signs the addresses of shared files with a key that is derived from a secret. */
export function createShareSignatures(secret: string) {
  const sign = (id: string) => createHmac('sha256', secret).update(`share:${id}`).digest('base64url').slice(0, 22)
  return {
    sign,
    isValid(id: string, signature: string): boolean {
      const wanted = Buffer.from(sign(id))
      const given = Buffer.from(signature)
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    },
  }
}
