import type { Database } from '../kernel/postgres/orm.ts'

/** Makes a user's page views anonymous. They remain in the counts. */
export const anonymisePageViews = (database: Database, userId: string) =>
  database.em.fork().execute(
    `update page_view set user_id = null, session_id = null, user_agent = null, referrer = null, ip = null
     where user_id = ?`,
    [userId],
  )
