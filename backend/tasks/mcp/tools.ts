import { setTimeout as delay } from 'node:timers/promises'
import type { CommandContext } from '../../kernel/eventsourcing/command.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { KeyCaller } from '../../kernel/http/bearer.ts'
import type { Changes } from '../../kernel/postgres/changes.ts'
import type { Clock } from '../../kernel/time.ts'
import type { CatalogueModel, Generation } from '../contract.ts'
import type { Tasks } from '../tasks.ts'
import { modelView, type Orders } from '../v1/orders.ts'
import type { Video, VideoOrder } from '../v1/v1.contract.ts'
import type { Works } from '../works.ts'
import type { Links } from './fileLinks.ts'
import type { Quotes } from './quotes.ts'
import type { Input, Output } from './toolSchemas.ts'

export interface ToolDeps {
  readonly orders: Orders
  readonly tasks: Pick<Tasks, 'generate' | 'cancel'>
  readonly works: Pick<Works, 'listAfter'>
  readonly quotes: Quotes
  readonly links: Links
  readonly changes: Pick<Changes, 'subscribe'>
  readonly clock: Clock
  readonly balanceOf: (userId: string) => Promise<number>
  /** Returns who pays for what a user orders with a team. */
  readonly payerIn: (teamId: string, userId: string) => Promise<string>
  readonly spentBy: (userId: string, purseId: string) => Promise<Readonly<{ ofDay: number; ofMonth: number }>>
}

/** The caller of a tool, which has the scope that the tool needs. */
export interface ToolCall {
  readonly key: KeyCaller
  readonly command: (commandId?: string) => CommandContext
  readonly signal: AbortSignal
}

/** An order that is ready to be placed, with what its confirmation says. */
interface Order {
  readonly generation: Generation
  readonly credits: number
  readonly place: () => Promise<Output<'generate'>>
}

const viewOf = ({ id, status, progress, model, prompt, seconds, size, credits, page_url, ...rest }: Video) => ({
  ...{ id, status, progress, model, prompt, seconds, size, credits, url: page_url, error: rest.error },
  created_at: new Date(rest.created_at * 1000).toISOString(),
})

const isOpen = ({ status }: Video) => status === 'queued' || status === 'in_progress'
/** A notification may get lost: the video is read again after this, ms. */
const READ_AGAIN_MS = 5_000

/** Creates the tools of a caller, without the protocol around them. */
export function createTools(deps: ToolDeps, call: ToolCall) {
  const { orders, works, tasks, quotes, links } = deps
  const { key, command } = call
  const { userId } = key
  const read = async (id: string) => orders.view(await orders.readOwn(userId, id))

  const { quoted, unquoted } = createOrdering(deps, call)

  return {
    list_models: async (): Promise<Output<'list_models'>> => ({
      models: orders.offeredTo(key).flatMap((model) => modelOf(model)),
    }),

    async quote(fields: Input<'quote'>): Promise<Output<'quote'>> {
      const order = fields as VideoOrder
      const { model, duration, resolution, expected_credits: credits = 0 } = orders.read(key, order)
      const { id, validUntil } = await quotes.make(userId, order, credits)
      const valid_until = new Date(validUntil).toISOString()
      return { quote_id: id, credits, valid_until, model, seconds: duration, resolution }
    },

    /** Returns an order to be placed, or the video if it was placed already. */
    prepare: (input: Input<'generate'>) => (input.quote_id === undefined ? unquoted(input) : quoted(input.quote_id)),

    async get({ id, wait_seconds }: Input<'get'>): Promise<Output<'get'>> {
      const before = await read(id)
      const wait = AbortSignal.any([call.signal, AbortSignal.timeout(wait_seconds * 1000)])
      let video = before
      while (isOpen(video) && video.status === before.status && !wait.aborted) {
        await nextChange(deps.changes, id, wait)
        video = await read(id)
      }
      if (video.status !== 'completed') return viewOf(video)
      const { links_end_at, ...urls } = links.of(video)
      return { ...viewOf(video), ...urls, links_end_at: links_end_at.toISOString() }
    },

    async list({ limit, after }: Input<'list'>): Promise<Output<'list'>> {
      const rows = await works.listAfter(userId, { after, limit: limit + 1, order: 'desc' })
      if (!rows) throw new Rejection('invalid_value', 'There is no video with this id any more.', { param: 'after' })
      const videos = await Promise.all(rows.slice(0, limit).map(async (row) => viewOf(await orders.view(row))))
      return { videos, next: rows.length > limit ? (videos.at(-1)?.id ?? null) : null }
    },

    async cancel({ id }: Input<'cancel'>): Promise<Output<'cancel'>> {
      const row = await tasks.cancel(await orders.readOwn(userId, id), command(derivedId('cancel', id)))
      return viewOf(await orders.view(row))
    },

    async balance(): Promise<Output<'balance'>> {
      const { id, perDay = null, perMonth = null } = key.purse
      const payerId = key.teamId === null ? userId : await deps.payerIn(key.teamId, userId)
      const { ofDay: spent_today, ofMonth: spent_this_month } = await deps.spentBy(payerId, id)
      const limits = { per_day: perDay, per_month: perMonth, spent_today, spent_this_month }
      return { credits: await deps.balanceOf(payerId), limits }
    },
  }
}

/** Creates what reads the orders of a caller, with and without a quote. */
function createOrdering({ orders, quotes, tasks, clock }: ToolDeps, { key, command }: ToolCall) {
  const { userId } = key

  /** Reads the quoted order. One that was placed already is returned as it is. */
  const quoted = async (id: string): Promise<Order | Output<'generate'>> => {
    const quote = await quotes.find(userId, id)
    if (!quote) throw new Rejection('quote_unknown', 'This quote is not known. Ask for a new one.')
    const placed = await orders.readOwn(userId, id).catch(ifNotFound)
    if (placed) return viewOf(await orders.view(placed))
    if (quote.validUntil <= clock()) throw new Rejection('quote_expired', 'This quote has expired. Ask for a new one.')
    const generation = orders.read(key, { ...quote.order, max_credits: quote.credits })
    // Each repetition means the same video.
    return orderOf(generation, { key: undefined, subject: { id, isRetry: true } })
  }

  const unquoted = ({ max_credits, idempotency_key, quote_id: _, ...fields }: Input<'generate'>): Order => {
    if (max_credits === undefined)
      throw new Rejection('invalid_value', 'Send a quote_id, or max_credits with the order.', { param: 'max_credits' })
    return orderOf(orders.read(key, { ...(fields as VideoOrder), max_credits }), {
      key: idempotency_key,
      keyed: fields,
    })
  }

  const orderOf = (
    generation: Generation,
    identity: Pick<Parameters<Tasks['generate']>[0], 'key' | 'keyed' | 'subject'>,
  ) => ({
    generation,
    credits: generation.expected_credits ?? 0,
    async place() {
      const { row } = await tasks.generate({ userId, ...identity, generation, apiKey: key, command })
      return viewOf(await orders.view(row))
    },
  })

  return { quoted, unquoted }
}

/** Returns a model with what it makes from a text; nothing if it needs a picture. */
function modelOf(model: CatalogueModel) {
  const offers = modelView(model)
    .offers.filter(({ task_types }) => task_types.includes('T2V'))
    .map(({ size, seconds, credits }) => ({ size, seconds, credits }))
  return offers.length > 0 ? [{ id: model.id, name: model.names.en, description: model.descriptions.en, offers }] : []
}

function ifNotFound(error: unknown): undefined {
  if (!(error instanceof Rejection && error.code === 'not_found')) throw error
}

/** Resolves when the row of a video may have changed. */
async function nextChange(changes: Pick<Changes, 'subscribe'>, id: string, signal: AbortSignal): Promise<void> {
  const heard = new AbortController()
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === 'videoTasks' && ids.includes(id)) heard.abort()
  })
  await delay(READ_AGAIN_MS, undefined, { signal: AbortSignal.any([signal, heard.signal]) }).catch(() => {})
  unsubscribe()
}
