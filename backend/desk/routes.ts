import type { Context } from 'koa'
import type * as z from 'zod/mini'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { OperatorCaller, Serve } from '../kernel/http/endpoint.ts'
import { sendMedia } from '../kernel/http/sendMedia.ts'
import type { MediaStore } from '../kernel/media/mediaStore.port.ts'
import * as contract from './contract.ts'
import type { Desk } from './desk.ts'
import type { createNotes } from './notes.ts'

type Answer<E extends { readonly answer?: z.ZodMiniType }> = z.output<NonNullable<E['answer']>>
type Action = contract.DeskAction

export interface DeskRoutes {
  readonly desk: Desk
  readonly media: MediaStore
  readonly notes: ReturnType<typeof createNotes>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly record: (
    ctx: Context,
    action: 'act_ordered' | 'act_decided' | 'act_stopped' | 'person_shown' | 'note_written',
    detail: string,
  ) => Promise<void>
  listActions(
    filter: { readonly userId: string | null; readonly status: 'waiting' | null },
    page: number,
    perPage: number,
  ): Promise<{ readonly actions: contract.DeskAction[]; readonly total: number }>
  search(text: string): Promise<contract.Found[]>
  person(id: string): Promise<contract.Person | undefined>
  /** Returns the state at an instant. @throws Rejection not_found */
  personAt(id: string, at: string): Promise<Answer<typeof contract.personAt>>
  /** Returns the key of the still of a finished video. */
  poster(taskId: string): Promise<string | undefined>
}

/**
 * Serves the operator's desk.
 * @param serve serves answers with addresses only after a step-up, and never to viewers
 * @param serveShort serves answers without addresses
 * @param serveWhole serves answers as they are
 */
export function serveDesk(serve: Serve, serveShort: Serve, serveWhole: Serve, routes: DeskRoutes): void {
  const { requireStepUp, record, search, notes, poster, media } = routes

  serveActions(serve, routes)

  serveShort(contract.search, async ({ query }) => ({ results: await search(query.q) }))

  const readPerson = async (id: string) => {
    const person = await routes.person(id)
    if (!person) throw new Rejection('not_found', 'There is no such account.')
    return person
  }

  serveShort(contract.person, async ({ params }) => ({ person: await readPerson(params.id) }))

  serveWhole(contract.revealPerson, async ({ params, ctx }) => {
    await requireStepUp(ctx)
    const person = await readPerson(params.id)
    // Recorded before the addresses are shown.
    await record(ctx, 'person_shown', `user ${person.id}`)
    return { person }
  })

  serve(contract.personAt, ({ params, query }) => routes.personAt(params.id, query.at))

  serve(contract.personPoster, async ({ params, ctx }) => {
    const key = await poster(params.id)
    if (!key) throw new Rejection('not_found', 'There is no such video.')
    await sendMedia(ctx, media, key, { type: 'image/jpeg', cacheControl: 'private, no-cache' })
    return undefined
  })

  serve(contract.writeNote, async ({ params, body, ctx, operator }) => {
    await requireStepUp(ctx)
    await notes.write(params.id, body.text, operator.name)
    await record(ctx, 'note_written', `user ${params.id}`)
    return { message: 'Written.' }
  })
}

/** Serves what operators order, and what they decide about the orders of others. */
function serveActions(serve: Serve, { desk, requireStepUp, record, listActions }: DeskRoutes): void {
  /** A signature proves more than the step-up of others. */
  const requireProof = async (ctx: Context, operator: OperatorCaller) => {
    if (!(await desk.signs(operator))) await requireStepUp(ctx)
  }
  const recordAct = (ctx: Context, action: 'act_ordered' | 'act_decided', { kind, subject, status, id }: Action) =>
    record(ctx, action, `${kind} ${subject}: ${status}, action ${id}`)

  serve(contract.askAction, async ({ body, ctx, operator }) => {
    await requireProof(ctx, operator)
    const action = await desk.ask(body, operator)
    await recordAct(ctx, 'act_ordered', action)
    return { action }
  })

  serve(contract.approveAction, async ({ body, params, ctx, operator }) => {
    await requireProof(ctx, operator)
    const action = await desk.approve(params.id, operator, body.credential)
    await recordAct(ctx, 'act_decided', action)
    return { action }
  })

  serve(contract.refuseAction, async ({ params, ctx, operator }) => {
    await requireStepUp(ctx)
    const action = await desk.refuse(params.id, operator)
    await recordAct(ctx, 'act_decided', action)
    return { action }
  })

  serve(contract.stopAction, async ({ params, ctx, operator }) => {
    await requireStepUp(ctx)
    const action = await desk.stop(params.id, operator.name)
    await record(ctx, 'act_stopped', `${action.kind} ${action.subject}: action ${action.id}`)
    return { action }
  })

  serve(contract.listActions, async ({ query: { user: userId = null, status = null, page, per_page: perPage } }) => ({
    success: true as const,
    ...(await listActions({ userId, status }, page, perPage)),
  }))
}
