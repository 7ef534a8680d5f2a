import { writeWebhooks } from '#workflows/webhooks/writeWebhooks.ts'
import { createMailChannel } from '../accounts/mails/mailChannel.ts'
import { createReminders } from '../accounts/mails/reminders.ts'
import { createPushChannel } from '../accounts/notices/pushChannel.ts'
import { createPushSubscriptions } from '../accounts/notices/pushSubscriptions.ts'
import { OUTBOX } from '../kernel/outbox/outbox.ts'
import { runOutbox } from '../kernel/outbox/runOutbox.ts'
import { RELISTENED } from '../kernel/postgres/changes.ts'
import { leased, type Running } from '../kernel/postgres/leased.ts'
import { transaction } from '../kernel/postgres/transaction.ts'
import { createWebhookChannel } from '../webhooks/webhookChannel.ts'
import type { EndpointRow } from '../webhooks/webhookEndpoints.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

type Deps = readonly [Context, Adapters, Services, () => string]

/** Writes what the log tells the outside, and sends it, in one process of all. */
export function startOutbox(...deps: Deps): Running {
  const [{ leases }] = deps
  return leased(leases, 'outbox', (token) => run(token, ...deps))
}

/** Creates what sends webhooks. */
export function openWebhookChannel(...[{ clock, database }, { guard }, services, publicUrl]: Deps) {
  const { outbox, webhookEndpoints: endpoints } = services
  const { sendOnce } = createReminders(database, outbox, publicUrl, 'profile/developers#webhooks')
  const mail = ({ id, user_id, name, failing_since, updated_at }: EndpointRow, kind: Parameters<typeof sendOnce>[2]) =>
    sendOnce(user_id, `${kind} ${id} ${(failing_since ?? updated_at).toISOString()}`, kind, { endpoint: name })
  return createWebhookChannel({ endpoints, guard, clock, mail })
}

function run(token: number, ...deps: Deps): Running {
  const [{ changes, clock, handle, log, store, database }, { mailer, push }, services, publicUrl] = deps
  const { messages, outbox: mails, webhookEndpoints } = services
  changes.hear()
  const onError = (err: unknown, messageId?: string) => log.warn({ err, messageId }, 'message not sent')
  const halt = new AbortController()
  const written = writeWebhooks({
    ...{ store, handle, publicUrl, signal: halt.signal },
    position: (first) => messages.position('webhooks', first),
    subscribed: webhookEndpoints.subscribed,
    save: (webhooks, position) =>
      transaction(database, async (tx) => {
        await messages.put(
          tx,
          webhooks.map((webhook) => ({ ...webhook, channel: 'webhook' as const })),
        )
        await messages.savePosition(tx, 'webhooks', position)
      }),
    onError: (err, eventId) => log.error({ err, eventId }, 'webhooks not written'),
  })
  const sending = runOutbox({
    outbox: messages,
    channels: {
      webhook: openWebhookChannel(...deps),
      push: createPushChannel(createPushSubscriptions(database), push),
      mail: createMailChannel({ mails, mailer, onError }),
    },
    token,
    clock,
    onChange: (listener) =>
      changes.subscribe(({ name }) => void ((name === OUTBOX || name === RELISTENED) && listener())),
    onError,
  })
  return {
    started: Promise.resolve(),
    async stop() {
      halt.abort()
      await Promise.all([written, sending.stop()])
    },
  }
}
