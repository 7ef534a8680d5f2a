import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { countParked } from '#projections/engine/readParked.ts'
import { readOutcomesSince, readUnstarted } from '#projections/tasks/readTaskHealth.ts'
import type { Mailer } from '../../accounts/mailer.port.ts'
import { backupFault, readBackupState } from '../../backups/backupState.ts'
import type { SendAlert } from '../../operators/alerts/alertChannel.port.ts'
import {
  createOperatorAlerts,
  readOpenAlerts,
  SERVER_RESTARTED,
  SUBSCRIPTION_SILENT,
} from '../../operators/alerts/operatorAlerts.ts'
import { tellOperator } from '../../operators/alerts/tellOperator.ts'
import { type Condition, watchConditions } from '../../operators/alerts/watchConditions.ts'
import { SOCKETS_MISSING } from '../../operators/alerts/watchSockets.ts'
import { alertWebhook } from '../../providers/alerts/alertWebhook.ts'
import { type ProviderAlerts, providerOfAlert } from '../../providers/video/protection/providerAlerts.ts'
import type { Adapters } from '../adapters.ts'
import { invoiceFault } from '../config/invoicesConfig.ts'
import type { Context } from '../context.ts'

const INTERVAL_MS = 60_000
const UNSTARTED_MS = 5 * 60_000
const HOUR_MS = 3_600_000
/** Failures are told when there are enough videos to judge by, and most of them fail. */
const ENOUGH_VIDEOS = 10
/** Alerts of what is over as soon as it is noticed, and how long each stays on the board after the last time. */
const SHOWN_FOR_MS = new Map([
  [SUBSCRIPTION_SILENT, 15 * 60_000],
  [SERVER_RESTARTED, 24 * HOUR_MS],
  [SOCKETS_MISSING, 24 * HOUR_MS],
])
const MIN_FREE_BYTES = 2 ** 30
const MIN_FREE_SHARE = 0.05

/** Returns the conditions that no other part of Kinora raises an alert for. */
export function conditionsOf(context: Pick<Context, 'database' | 'pool' | 'clock' | 'config'>): Condition[] {
  const { database, pool, clock, config } = context
  return [
    {
      code: 'tasks_unstarted',
      async find() {
        const { count, since } = await readUnstarted(database)
        if (since === null || clock() - since * 1000 < UNSTARTED_MS) return undefined
        return `${count} accepted videos have not started, the oldest since ${new Date(since * 1000).toISOString()}.`
      },
    },
    {
      code: 'videos_failing',
      async find() {
        const { videos, failed } = await readOutcomesSince(database, new Date(clock() - HOUR_MS))
        if (videos < ENOUGH_VIDEOS || failed * 2 <= videos) return undefined
        return `${failed} of the last hour's ${videos} videos failed.`
      },
    },
    {
      code: 'events_parked',
      async find() {
        const parked = await countParked(database)
        if (parked.length === 0) return undefined
        return `Events could not be projected: ${parked.map(({ projection, count }) => `${projection} ${count}`).join(', ')}.`
      },
    },
    {
      code: 'backup_unproven',
      find: async () => (config.backup ? backupFault(await readBackupState(pool), clock()) : undefined),
    },
    { code: 'seller_unset', find: async () => invoiceFault(config) },
    {
      code: 'disk_low',
      async find() {
        const { bavail, bsize, blocks } = await statfs(config.dataDir)
        if (bavail * bsize >= MIN_FREE_BYTES && bavail >= blocks * MIN_FREE_SHARE) return undefined
        return `${Math.round((bavail * bsize) / 2 ** 20)} MB are free in DATA_DIR.`
      },
    },
  ]
}

/** Watches the installation, in one process at a time, and tells the operator by mail and webhook, where they are set. */
export function startAlerts(
  context: Context,
  { mailer, videos }: Pick<Adapters, 'mailer' | 'videos'>,
  publicUrl: () => string,
) {
  const { config, pool, leases, log } = context
  const board = () => `${publicUrl()}/admin/dashboard`
  const channels = new Map<string, SendAlert>()
  if (config.alerts.mail) channels.set('mail', alertMail(config.alerts.mail, mailer, board))
  if (config.alerts.webhook) channels.set('webhook', alertWebhook(config.alerts.webhook, board))
  const alerts = createOperatorAlerts(pool, log)
  const conditions = conditionsOf(context)
  const halt = new AbortController()
  const watch = async (held: AbortSignal) => {
    while (!held.aborted) {
      const onError = (err: unknown) => log.warn({ err }, 'operator not notified')
      await watchConditions(conditions, alerts).catch(onError)
      await clearRemoved(pool, alerts, videos).catch(onError)
      for (const [code, ms] of SHOWN_FOR_MS) await alerts.clear(code, ms).catch(onError)
      // Other parts of Kinora raise alerts too, so they are told although a condition could not be checked.
      await tellOperator(pool, channels).catch(onError)
      await delay(INTERVAL_MS, undefined, { signal: held }).catch(() => {})
    }
  }
  const done = leases.run('alerts', halt.signal, watch)
  return {
    async stop() {
      halt.abort()
      await done
    },
  }
}

/** Clears the alerts of providers that are no longer configured. Those of others end when they accept a job. */
async function clearRemoved(pool: Context['pool'], alerts: ProviderAlerts, videos: Adapters['videos']): Promise<void> {
  for (const { code } of await readOpenAlerts(pool)) {
    const provider = providerOfAlert(code)
    if (provider !== undefined && !videos.has(provider)) await alerts.clear(code)
  }
}

/** Creates a channel that mails alerts. @param board address of the operator's board */
function alertMail(to: string, mailer: Mailer, board: () => string): SendAlert {
  return async ({ code, state, detail, since }) => {
    const subject = `Kinora: ${code} is ${state}`
    const text = `${detail}\n\nSince ${since}\n${board()}\n`
    const html = text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`).replaceAll('\n', '<br>')
    const result = await mailer.send({ id: randomUUID(), userId: null, to, subject, text, html })
    if (result !== 'sent') throw new Error('ALERT_MAIL was refused by the mail server')
  }
}
