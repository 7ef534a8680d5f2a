import type { RouterContext } from '@koa/router'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { idempotencyKeyOf } from '../kernel/http/idempotency.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Realtime } from '../kernel/http/realtime.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { modelView } from './catalogue/modelView.ts'
import * as contract from './contract.ts'
import type { Mark, Marks } from './library/marks.ts'
import type { Decrypt } from './promptCipher.port.ts'
import { removeVideo } from './removeVideo.ts'
import type { Shares } from './shares/shares.ts'
import type { TaskDeps, Tasks } from './tasks.ts'
import type { Understanding } from './videoProvider.port.ts'
import { taskView, type Works } from './works.ts'

export interface TaskRoutes {
  readonly tasks: Tasks
  readonly works: Works
  /** What users attach to their videos. */
  readonly attached: Readonly<{ marks: Pick<Marks, 'list' | 'remove'>; shares: Pick<Shares, 'end'> }>
  readonly catalogue: Pick<Catalogue, 'offered'>
  /** Returns whether a running task of a model can be cancelled. */
  readonly cancels: (model: contract.CatalogueModel) => boolean
  readonly realtime: Pick<Realtime, 'issueToken'>
  /** Returns what the engine of a model would draw of a prompt; undefined if it draws anything. */
  readonly understand: (model: string | undefined, prompt: string, language: 'en' | 'zh') => Understanding | undefined
  readonly teamOf: TaskDeps['teamOf']
  readonly languageOf: (userId: string) => Promise<'en' | 'zh' | undefined>
  /** Rejects if a network without a session has asked too often. */
  readonly limitVisitor: (ctx: RouterContext) => Promise<void>
}

export function serveTasks(serve: Serve, { works, catalogue, realtime, ...deps }: TaskRoutes): void {
  const { tasks, cancels, understand } = deps
  const { marks } = deps.attached
  const generate = { ...contract.generate, body: contract.generationOf(catalogue.offered) }
  serve(generate, async ({ body: generation, userId, key: apiKey, ctx, command }) => {
    const { row: task } = await tasks.generate({ userId, key: idempotencyKeyOf(ctx), generation, apiKey, command })
    // A repeated request has the texts of the first, so they need not be decrypted.
    const textOf: Decrypt = async ({ purpose }) => generation[purpose === 'prompt' ? 'prompt' : 'negative_prompt']
    return { task: await taskView(task, textOf) }
  })

  serve(contract.understand, async ({ body: { model, prompt, language }, userId, ctx }) => {
    if (!userId) await deps.limitVisitor(ctx)
    const own = language ?? (userId ? await deps.languageOf(userId) : undefined)
    const { words, drawn, missing, enough } =
      understand(model, prompt, own ?? (/\p{Script=Han}/u.test(prompt) ? 'zh' : 'en')) ?? ANYTHING
    return { words: [...words], drawn: [...drawn], missing: [...missing], enough }
  })

  serve(contract.listTasks, ({ userId, query: { page, per_page: perPage, status_filter: status } }) =>
    works.list(userId, { page, perPage, status }),
  )

  serve(contract.myWorks, async ({ userId, query }) => {
    const { page, per_page: perPage, task_type: taskType, model, from, to, q: text } = query
    if (model !== undefined && !catalogue.offered().some(({ id }) => id === model))
      throw new ValidationError([{ path: 'model', code: 'unknown_model' }])
    const { favourites, folder, library } = query
    const isMarked = (mark: Mark) => (!favourites || mark.favourite) && (!folder || mark.folder === folder)
    const marked = favourites || folder ? (await marks.list(userId)).filter(isMarked) : undefined
    const ids = marked?.map(({ id }) => id)
    const filter = { status: 'Success', taskType, model, ids, library, from: startOf(from), before: endOf(to) }
    return works.list(userId, { ...filter, text, page, perPage })
  })

  serve(contract.getTask, async ({ userId, params }) => works.viewFor(userId, await works.readShown(userId, params.id)))

  serve(contract.setVisibility, async ({ userId, params: { id }, body: { visibility }, command }) => {
    const task = await works.readOwn(userId, id)
    const shownTo = visibility === 'team' ? (task.team_id ?? (await deps.teamOf(userId))) : null
    await tasks.show(task, shownTo, command())
    return undefined
  })

  serve(contract.lineage, async ({ userId, params }) => works.lineage(userId, await works.readOwn(userId, params.id)))

  for (const endpoint of [contract.deleteTask, contract.deleteTaskAlias])
    serve(endpoint, async ({ userId, params: { id }, command }) => {
      await removeVideo({ works, tasks, ...deps.attached }, userId, id, command)
      return undefined
    })

  serve(contract.cancelTask, async ({ userId, params: { id }, command }) => {
    const task = await works.readManaged(userId, id)
    return { task: await works.viewFor(userId, await tasks.cancel(task, command(derivedId('cancel', id)))) }
  })

  serve(contract.getQueue, ({ userId }) => works.queue(userId))

  serve(contract.workStats, ({ userId }) => works.stats(userId))

  serve(contract.listModels, () => catalogue.offered().map((model) => modelView(model, cancels(model))))

  serve(contract.socketToken, async ({ userId, ctx }) => ({
    token: await realtime.issueToken(userId, ctx.state.sessionId),
  }))
}

const ANYTHING: Understanding = { words: [], drawn: [], missing: [], enough: true }

const DAY_MS = 24 * 60 * 60 * 1000
const isDay = (moment: string) => moment.length === 10
const startOf = (moment: string | undefined) => moment && new Date(moment).toISOString()
/** Returns the exclusive upper bound of a range that ends with the given date or instant. */
const endOf = (moment: string | undefined) =>
  moment && new Date(Date.parse(moment) + (isDay(moment) ? DAY_MS : 1)).toISOString()
