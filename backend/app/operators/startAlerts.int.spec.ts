import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveFailure, savePhrase, saveProven } from '../../backups/backupState.ts'
import type { SendAlert } from '../../operators/alerts/alertChannel.port.ts'
import { createOperatorAlerts, SERVER_RESTARTED } from '../../operators/alerts/operatorAlerts.ts'
import { tellOperator } from '../../operators/alerts/tellOperator.ts'
import { alertWebhook } from '../../providers/alerts/alertWebhook.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { Adapters } from '../adapters.ts'
import { raiseRestarted } from './restarted.ts'
import { conditionsOf, startAlerts } from './startAlerts.ts'

/** A receiver of webhooks that answers with `status`. */
async function startReceiver() {
  const receiver = { status: 200, received: [] as { code: string; state: string; text: string }[], url: '', close() {} }
  const server = createServer(async (request, response) => {
    receiver.received.push(JSON.parse(await text(request)))
    response.writeHead(receiver.status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  receiver.close = () => void server.close()
  return receiver
}

const QUIET = { error: () => {}, info: () => {} }
let kinora: TestKinora
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
  const double = await createProviderDouble()
  // Its own process clears the alerts of other providers, too.
  kinora = await startTestKinora({ providers: new Map(['fal', 'ark', 'minimax'].map((name) => [name, double])) })
})
afterAll(async () => {
  await kinora.close()
  receiver.close()
})
const sql = (statement: string) => kinora.context.pool.query(statement)
/** Starts the alerts of the running installation with the webhook, in a process that holds the lease. */
const start = (config: object, videos: Adapters['videos'] = kinora.context.videos) => {
  const { context } = kinora
  const leases = { run: (_: string, signal: AbortSignal, work: (held: AbortSignal) => Promise<void>) => work(signal) }
  const settings = { ...context.config, ...config, alerts: { webhook: receiver.url } }
  return startAlerts({ ...context, config: settings, leases } as never, { videos } as never, () => kinora.url)
}
const seen = () => receiver.received.splice(0).map(({ code, state }) => [code, state])

describe('the operator', () => {
  it('is told of alerts although a condition cannot be checked', async () => {
    await createOperatorAlerts(kinora.context.pool, QUIET).raise('urgent', 'The provider refused the key.')
    const alerts = start({ dataDir: '/missing' })
    await expect.poll(seen).toContainEqual(['urgent', 'open'])
    await alerts.stop()
    await sql(`delete from operator_alert where code = 'urgent'`)
  })

  it('is told that the alerts of a provider that is no longer configured are over', async () => {
    const { pool } = kinora.context
    const raised = ['video_provider_account fal', 'video_provider_key_refused ark', 'video_provider_unreachable']
    for (const code of raised) await createOperatorAlerts(pool, QUIET).raise(code, 'The provider does not work.')
    const before = start({})
    await expect.poll(() => receiver.received.length).toBe(3)
    await before.stop()
    expect(seen()).toEqual(raised.map((code) => [code, 'open']))
    const after = start({}, new Map([['fal', kinora.context.videos.get('fal')!]]))
    await expect.poll(() => receiver.received.length).toBe(2)
    await after.stop()
    expect(seen()).toEqual(raised.slice(1).map((code) => [code, 'over']))
    await sql('delete from operator_alert')
  })

  it('is told that a server was restarted, for a day', async () => {
    await raiseRestarted({ ...kinora.context, log: QUIET as never })
    const before = start({})
    await expect.poll(seen).toEqual([[SERVER_RESTARTED, 'open']])
    await before.stop()
    await sql("update operator_alert set last_at = last_at - interval '25 hours'")
    const after = start({})
    await expect.poll(seen).toEqual([[SERVER_RESTARTED, 'over']])
    await after.stop()
    await sql('delete from operator_alert')
  })

  it('is told once when an alert opens and once when it is over, again after a failure', async () => {
    const { pool } = kinora.context
    const alerts = createOperatorAlerts(pool, QUIET)
    const webhook = alertWebhook(receiver.url, () => 'https://kinora.test/admin/dashboard')
    const tell = () => tellOperator(pool, new Map([['webhook', webhook]]))
    await alerts.raise('key_refused', 'The key was refused.')
    receiver.status = 500
    await expect(tell()).rejects.toThrow('alerts could not be sent')
    receiver.status = 200
    expect(seen()).toEqual([['key_refused', 'open']])
    await tell()
    expect(receiver.received[0]!.text).toContain('The key was refused. https://kinora.test/admin/dashboard')
    await alerts.raise('key_refused', 'The key was refused.')
    await tell()
    expect(seen()).toEqual([['key_refused', 'open']])
    await alerts.clear('key_refused')
    await tell()
    await tell()
    expect(seen()).toEqual([['key_refused', 'over']])
    // Over before anyone was told.
    await alerts.raise('brief', 'A moment.')
    await alerts.clear('brief')
    await tell()
    expect(seen()).toEqual([])
  })

  it('is told once by a channel that works while another fails, and by that one when it works again', async () => {
    const { pool } = kinora.context
    const alerts = createOperatorAlerts(pool, QUIET)
    const mails: string[] = []
    let isBroken = true
    const mail: SendAlert = async ({ code, state }) => {
      if (isBroken) throw new Error('the mail server is down')
      mails.push(`${code} ${state}`)
    }
    const channels = new Map([
      ['mail', mail],
      ['webhook', alertWebhook(receiver.url, () => kinora.url)],
    ])
    const tell = () => tellOperator(pool, channels)
    await alerts.raise('disk_low', 'The disk is full.')
    await alerts.raise('passing', 'A moment.')
    for (const _ of [1, 2]) await expect(tell()).rejects.toThrow('alerts could not be sent')
    await alerts.clear('passing')
    await tell().catch(() => {})
    expect(seen()).toEqual(['disk_low open', 'passing open', 'passing over'].map((news) => news.split(' ')))
    isBroken = false
    await tell()
    expect([mails, seen()]).toEqual([['disk_low open'], []])
    await alerts.clear('disk_low')
    await tell()
    expect([mails[1], seen()]).toEqual(['disk_low over', [['disk_low', 'over']]])
  })

  it('is told of videos that do not start or mostly fail, and of parked events', async () => {
    const found = async () => {
      const details = await Promise.all(
        conditionsOf(kinora.context).map(({ code, find }) => find().then((it) => it && code)),
      )
      return details.filter((code) => code !== undefined)
    }
    expect(await found()).toEqual([])
    const add = (count: number, code: string) =>
      sql(`insert into task_outcome (id, resolution, duration, ended_at, error_code)
        select gen_random_uuid(), '768P', 6, now(), ${code} from generate_series(1, ${count})`)
    await add(5, 'null')
    await add(5, `'provider_failed'`)
    await add(3, `'content_refused'`)
    expect(await found()).toEqual([])
    await add(9, `'provider_failed'`)
    expect(await found()).toEqual(['videos_failing'])
    await sql(`insert into open_task (id, user_id, priority, unstarted_since)
      select gen_random_uuid(), gen_random_uuid(), 0, now() - interval '6 minutes'`)
    expect(await found()).toEqual(['tasks_unstarted', 'videos_failing'])
  })

  it('is told of a backup that was not proven restorable for more than a day, but not where none is set up', async () => {
    const { pool, config, clock } = kinora.context
    const backup = { to: { folder: '/mnt/copies' }, keepDays: 35 }
    const find = async (hours: number, context: object = { config: { ...config, backup } }) => {
      const at = () => clock() + hours * 3_600_000
      const conditions = conditionsOf({ ...kinora.context, clock: at, ...context })
      return conditions.find(({ code }) => code === 'backup_unproven')!.find()
    }
    expect(await find(1_000, {})).toBeUndefined()
    expect(await find(0)).toContain('npm run -s recovery-phrase')
    await savePhrase(pool, 'age1phrase', null)
    expect([await find(25), await find(27)]).toEqual([undefined, expect.stringContaining('No backup was proven')])
    await saveFailure(pool, 'The bucket refused PUT: HTTP 403')
    expect(await find(27)).toMatch(/since .*Z\. The last attempt failed: The bucket refused PUT: HTTP 403$/)
    await saveProven(pool, clock())
    expect([await find(25), await find(27)]).toEqual([undefined, expect.stringMatching(/since .*Z\.$/)])
  })

  it('gets mail and webhook from the running program', async () => {
    await createOperatorAlerts(kinora.context.pool, QUIET).raise('account_empty', 'Pay <the> provider.')
    const { dataDir } = kinora
    await kinora.close({ keep: true })
    const env = { DATA_DIR: dataDir, ALERT_WEBHOOK: receiver.url, ALERT_MAIL: 'admin@kinora.test' }
    kinora = await startTestKinora({ env })
    await expect.poll(seen).toContainEqual(['account_empty', 'open'])
    const mails = async () =>
      (await (await fetch(`${kinora.url}/dev/mailbox.json?to=admin@kinora.test`)).json()) as {
        subject: string
        html: string
      }[]
    await expect
      .poll(async () => (await mails()).map(({ subject }) => subject))
      .toContain('Kinora: account_empty is open')
    expect((await mails()).find(({ subject }) => /account_empty/.test(subject))!.html).toContain(
      'Pay &#60;the&#62; provider.',
    )
  })
})
