import type { Context } from 'koa'
import type { CaseFilter } from '#projections/desk/readCases.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { Cases } from './cases.ts'
import * as contract from './contract.ts'

export interface CaseRoutes {
  readonly cases: Pick<Cases, 'assign' | 'close'>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly record: (
    ctx: Context,
    action: 'case_assigned' | 'case_closed' | 'dossier_made',
    detail: string,
  ) => Promise<void>
  list(
    filter: CaseFilter,
    page: number,
    perPage: number,
  ): Promise<{ readonly cases: contract.Case[]; readonly total: number }>
  counts(operator: string): Promise<contract.CaseCounts>
  read(id: string): Promise<contract.Case | undefined>
  history(id: string): Promise<contract.CaseHistory>
  /** Returns a PDF; undefined if the case names no payment of an account that exists. */
  dossier(found: contract.Case): Promise<Uint8Array | undefined>
}

/** Serves the cases of operators. */
export function serveCases(serve: Serve, routes: CaseRoutes): void {
  const { cases, requireStepUp, record } = routes

  serve(contract.listCases, async ({ query: { state, kind, owner, page, per_page }, operator: { name } }) => ({
    success: true as const,
    ...(await routes.list(
      { state, kind: kind ?? null, owner: owner ? { me: name, none: '' }[owner] : null },
      page,
      per_page,
    )),
    counts: await routes.counts(name),
  }))

  const read = async (id: string) => {
    const found = await routes.read(id)
    if (!found) throw new Rejection('not_found', 'There is no such case.')
    return found
  }

  serve(contract.readCase, async ({ params }) => ({
    case: await read(params.id),
    history: await routes.history(params.id),
  }))

  serve(contract.dossier, async ({ params, ctx }) => {
    await requireStepUp(ctx)
    const pdf = await routes.dossier(await read(params.id))
    if (!pdf) throw new Rejection('not_found', 'This case is about no payment.')
    await record(ctx, 'dossier_made', `case ${params.id}`)
    ctx.type = 'application/pdf'
    ctx.attachment(`case-${params.id}.pdf`, { type: 'inline' })
    ctx.body = Buffer.from(pdf)
    return undefined
  })

  serve(contract.assignCase, async ({ params, body, ctx, operator: { name } }) => {
    await read(params.id)
    await cases.assign(params.id, body.mine ? name : null, name)
    await record(ctx, 'case_assigned', `case ${params.id}`)
    return { case: await read(params.id) }
  })

  serve(contract.closeCase, async ({ params, body, ctx, operator }) => {
    await requireStepUp(ctx)
    await read(params.id)
    await cases.close(params.id, body.outcome, body.note, operator.name)
    await record(ctx, 'case_closed', `case ${params.id}: ${body.outcome}`)
    return { case: await read(params.id) }
  })
}
