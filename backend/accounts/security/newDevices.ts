import type { Context } from 'koa'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import type { MailedLinks } from '../mails/mailedLinks.ts'
import type { UserAccount } from '../tables.ts'
import { originOf, type SecurityLog } from './securityLog.ts'

/** Creates the notices about sign-ins from devices that have not signed in to the account before. */
export function createNewDevices(database: Database, links: MailedLinks, log: SecurityLog, now: Clock) {
  /**
   * Returns whether the account has been used, but not by this browser and system in this network. Devices that signed
   * in before the owner disowned one do not count.
   */
  const isNew = async (userId: string, { browser, system, network }: ReturnType<typeof originOf>): Promise<boolean> => {
    const [found] = await query<object>(
      database,
      `select 1 from session where user_id = $1 and not exists (
         select from security_record where user_id = $2 and event = 'signed_in'
           and browser is not distinct from $3 and system is not distinct from $4 and network is not distinct from $5
           and id > coalesce((select max(id) from security_record where user_id = $6 and event = 'secured'), 0)
       ) limit 1`,
      [userId, userId, browser, system, network, userId],
    )
    return found !== undefined
  }

  return {
    /** Records a device without a device cookie, and emails a link with which the owner can end every session. */
    async announceIfNew(ctx: Context, account: UserAccount): Promise<void> {
      const origin = originOf(ctx)
      if (!(await isNew(account.id, origin))) return
      const { browser, system, network } = origin
      const device = [browser, system, network].filter(Boolean).join(' · ')
      const time = `${new Date(now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`
      await database.em.fork().transactional(async (tx) => {
        await log.record(ctx, account.id, 'new_device', tx)
        await links.send(tx, 'secure', account, { query: { secure: '1' }, values: { device, time } })
      })
    },
  }
}
