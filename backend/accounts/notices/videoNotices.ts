import type { EntityManager } from '@mikro-orm/postgresql'
import en from '#content/en/notices.json' with { type: 'json' }
import zh from '#content/zh/notices.json' with { type: 'json' }
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { Outbox as Messages, NewMessage } from '../../kernel/outbox/outbox.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import { composeMail } from '../mails/composeMail.ts'
import type { Outbox } from '../mails/outbox.ts'
import type { UserAccount } from '../tables.ts'
import type { PushMessage } from './pushSender.port.ts'
import type { PushSubscriptions } from './pushSubscriptions.ts'

/** A video that succeeded or failed. */
export interface DoneVideo {
  readonly taskId: string
  readonly userId: string
  readonly succeeded: boolean
  /** ISO instant. */
  readonly finishedAt: string
}

/** Time without a call of the user after which a mail is sent. */
const AWAY_MS = 10 * 60_000
const KEPT_MS = 7 * 24 * 3_600_000
const MAIL_LIFETIME_MS = 24 * 3_600_000
const TEXTS = { en, zh }

interface VideoNoticesOptions {
  readonly database: Database
  readonly subscriptions: Pick<PushSubscriptions, 'list'>
  readonly messages: Pick<Messages, 'put'>
  readonly outbox: Outbox
  readonly publicUrl: () => string
  readonly clock: Clock
}

/**
 * Returns the videos that this process is the first to tell about, and whose users want to know. A failed video that
 * arrives late is reported again.
 */
async function claim(tx: EntityManager, videos: readonly DoneVideo[]): Promise<DoneVideo[]> {
  // Processes claim the same videos at the same time. The order prevents deadlocks.
  const rows = await query<{ task_id: string }>(
    tx,
    `insert into video_notice as n (task_id, user_id, succeeded, finished_at, mail)
     select "taskId", id, succeeded, "finishedAt", mail_when_done
     from jsonb_to_recordset($1::jsonb)
       as video ("taskId" uuid, "userId" uuid, succeeded boolean, "finishedAt" timestamptz)
     join user_account u on u.id = "userId"
     where mail_when_done or exists (select from push_subscription where user_id = u.id)
     order by "taskId"
     on conflict (task_id) do update
       set succeeded = true, finished_at = excluded.finished_at, mail = excluded.mail
       where excluded.succeeded and not n.succeeded
     returning task_id`,
    [JSON.stringify(videos)],
  )
  const claimed = new Set(rows.map(({ task_id }) => task_id))
  return videos.filter(({ taskId }) => claimed.has(taskId))
}

/** Creates the service that tells users about videos that are done. */
export function createVideoNotices({
  database,
  subscriptions,
  messages,
  outbox,
  publicUrl,
  clock,
}: VideoNoticesOptions) {
  const pushes = async (video: DoneVideo): Promise<NewMessage[]> =>
    (await subscriptions.list(video.userId)).map(({ endpoint: target, language }) => ({
      id: derivedId('push', video.taskId, String(video.succeeded), target),
      ...{ userId: video.userId, channel: 'push', target, about: video.succeeded ? 'videoDone' : 'videoFailed' },
      body: JSON.stringify(messageOf(video, language)),
    }))

  const mail = async (tx: EntityManager, userId: string, taskId: string, succeeded: boolean) => {
    const [user] = await query<Pick<UserAccount, 'email' | 'fullName' | 'language'>>(
      tx,
      'select email, full_name as "fullName", language from user_account where id = $1',
      [userId],
    )
    if (!user) return
    const link = `${publicUrl()}${pathOf(user.language, succeeded ? taskId : undefined)}`
    const kind = succeeded ? 'videoDone' : 'videoFailed'
    await outbox.put(tx, userId, composeMail(kind, user, link), MAIL_LIFETIME_MS)
  }

  return {
    /** Stores push messages to the users' browsers, once per video. */
    async tell(videos: readonly DoneVideo[]): Promise<void> {
      if (videos.length === 0) return
      await database.em.fork().transactional(async (tx) => {
        const claimed = await claim(tx, videos)
        const stored = (await Promise.all(claimed.map(pushes))).flat()
        await messages.put({ query: (sql, values) => query(tx, sql, values) }, stored)
      })
    },

    /** Mails users who have been away for ten minutes since their last call, once for all their videos. */
    async mailAway(): Promise<void> {
      const now = clock()
      await database.em.fork().transactional(async (tx) => {
        await query(tx, 'delete from video_notice where finished_at < $1', [new Date(now - KEPT_MS)])
        const due = await query<{ user_id: string; task_id: string; succeeded: boolean; seen: boolean }>(
          tx,
          `select n.user_id, n.task_id, n.succeeded, coalesce(s.last, 'epoch') > n.finished_at as seen
           from video_notice n left join lateral
             (select max(last_used_at) as last from session where user_id = n.user_id) s on true
           where n.mail and n.finished_at <= $1 and coalesce(s.last, 'epoch') <= $2
           order by n.finished_at desc for update of n skip locked`,
          [new Date(now - AWAY_MS), new Date(now - AWAY_MS)],
        )
        const mailed = new Set<string>()
        for (const { user_id, task_id, succeeded, seen } of due) {
          await query(tx, 'update video_notice set mail = false where task_id = $1', [task_id])
          if (seen || mailed.has(user_id)) continue
          mailed.add(user_id)
          await mail(tx, user_id, task_id, succeeded)
        }
      })
    },
  }
}

const pathOf = (language: keyof typeof TEXTS, taskId: string | undefined) =>
  `${language === 'zh' ? '/zh' : ''}${taskId === undefined ? '/workspace' : `/film/${taskId}`}`

function messageOf({ taskId, succeeded }: DoneVideo, language: keyof typeof TEXTS): PushMessage {
  const { title, body } = TEXTS[language][succeeded ? 'done' : 'failed']
  return { title, body, path: pathOf(language, succeeded ? taskId : undefined), tag: `video ${taskId}` }
}
