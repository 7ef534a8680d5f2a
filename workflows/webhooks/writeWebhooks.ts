import { setTimeout as delay } from 'node:timers/promises'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS } from '#backend/credits/events.ts'
import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { upcast } from '#backend/kernel/eventsourcing/pure/eventSchemas.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { SUBSCRIPTION, SUBSCRIPTION_EVENTS } from '#backend/subscriptions/events.ts'
import { VIDEO_TASK, VIDEO_TASK_EVENTS } from '#backend/tasks/events.ts'
import { type News, newsOf } from './webhookEvents.ts'

/** A webhook to one endpoint. */
export interface Webhook {
  readonly id: string
  readonly userId: string
  readonly target: string
  readonly about: string
  readonly body: string
}

interface Endpoint {
  readonly id: string
  readonly user_id: string
  readonly event_types: readonly string[]
}

interface WebhookWriter {
  readonly store: Pick<EventStore, 'subscribeAll' | 'head'>
  readonly handle: Pick<Handle, 'read'>
  readonly publicUrl: () => string
  /** Returns the position up to which webhooks were written; the given one, which is stored, if there is none. */
  readonly position: (first: GlobalPosition | undefined) => Promise<string | undefined>
  /** Returns the endpoints of users that are on. */
  readonly subscribed: (userIds: readonly string[]) => Promise<readonly Endpoint[]>
  /** Stores webhooks and the new position together. */
  readonly save: (webhooks: readonly Webhook[], position: GlobalPosition) => Promise<void>
  readonly signal: AbortSignal
  /** `eventId`: the event that was skipped; undefined if the log could not be followed, which is repeated. */
  readonly onError: (error: unknown, eventId?: string) => void
}

const SCHEMAS = new Map<string, Parameters<typeof upcast>[0]>([
  [`${VIDEO_TASK}-`, VIDEO_TASK_EVENTS],
  [`${CREDIT_ACCOUNT}-`, CREDIT_ACCOUNT_EVENTS],
  [`${SUBSCRIPTION}-`, SUBSCRIPTION_EVENTS],
])
const PREFIXES = [...SCHEMAS.keys()] as [string, ...string[]]
/** Batches without webhooks between two saved positions. Reading them again after a restart is cheap. */
const SAVE_EVERY = 100
const RETRY_MS = 1_000

/** Writes a webhook for each event and endpoint that should know of it, from the log, until the signal aborts. */
export async function writeWebhooks(writer: WebhookWriter): Promise<void> {
  const { store, signal, onError, position } = writer
  while (!signal.aborted) {
    try {
      const from = (await position(await store.head())) as GlobalPosition | undefined
      await follow(writer, from)
    } catch (error) {
      if (signal.aborted) return
      onError(error)
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

async function follow(writer: WebhookWriter, from: GlobalPosition | undefined): Promise<void> {
  const { store, signal, save } = writer
  let unsaved = 0
  for await (const batch of store.subscribeAll({ name: 'webhooks', from, streamPrefixes: PREFIXES, signal })) {
    const webhooks = await webhooksOf(writer, batch.events)
    unsaved++
    if (webhooks.length === 0 && unsaved < SAVE_EVERY) continue
    await save(webhooks, batch.position)
    unsaved = 0
  }
}

async function webhooksOf(writer: WebhookWriter, events: readonly Stored[]): Promise<Webhook[]> {
  const news = events.flatMap((stored) => readNews(writer, stored) ?? [])
  if (news.length === 0) return []
  const endpoints = await writer.subscribed([...new Set(news.map(({ userId }) => userId))])
  const webhooks: Webhook[] = []
  for (const each of news) {
    const { userId, type, key, at } = each
    const targets = endpoints.filter(({ user_id, event_types }) => user_id === userId && event_types.includes(type))
    if (targets.length === 0) continue
    const data = await each.data(writer.handle, writer.publicUrl()).catch((error) => {
      if (!isUnreadable(error)) throw error
      writer.onError(error, key)
    })
    if (!data) continue
    const body = JSON.stringify({ type, timestamp: at, data })
    for (const { id: target } of targets)
      webhooks.push({ id: derivedId('webhook', target, type, key), userId, target, about: type, body })
  }
  return webhooks
}

/** Returns undefined for an event of a newer release, whose processes will have followed the log. */
function readNews({ onError }: WebhookWriter, stored: Stored): News | undefined {
  const [, schemas] = [...SCHEMAS].find(([prefix]) => stored.stream.startsWith(prefix)) ?? []
  try {
    return schemas && newsOf(upcast(schemas, stored) as Parameters<typeof newsOf>[0])
  } catch (error) {
    onError(error, stored.id)
    return undefined
  }
}
