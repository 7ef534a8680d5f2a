import type { Context } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'

/** Codes that grant credits. */
export interface CodesOnBoard {
  list(page: number, perPage: number): Promise<{ readonly codes: contract.BoardCode[]; readonly total: number }>
  /** Returns the new codes, which are not stored. */
  issue(order: contract.CodeOrder, by: string): Promise<readonly string[]>
  /** Voids a code, or what is left of its batch. Returns the codes that this changed. */
  void(id: string, ofBatch: boolean, by: string): Promise<readonly Pick<contract.BoardCode, 'label' | 'hint'>[]>
}

interface CodeRoutes {
  readonly codes: CodesOnBoard
  readonly actions: OperatorActions
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
}

/** Serves the list of codes, and the issue and the end of some. */
export function serveCodesOnBoard(serve: Serve, { codes, actions, requireStepUp }: CodeRoutes): void {
  serve(contract.codes, async ({ query }) => ({
    success: true as const,
    ...(await codes.list(query.page, query.per_page)),
  }))

  serve(contract.issueCodes, async ({ body, ctx, operator }) => {
    await requireStepUp(ctx)
    const issued = await codes.issue(body, operator.name)
    const { count, credits, uses, label } = body
    const detail = `${label}: ${count} × ${credits} credits, ${uses} uses each`
    await actions.record({ action: 'codes_issued', detail, ctx })
    return { success: true as const, codes: [...issued] }
  })

  serve(contract.voidCode, async ({ params, body, ctx, operator }) => {
    await requireStepUp(ctx)
    const [first, ...others] = await codes.void(params.id, body.batch, operator.name)
    if (!first) throw new Rejection('not_found', 'There is no such code, or it is void.')
    const what = others.length > 0 ? `${others.length + 1} codes` : `…${first.hint}`
    await actions.record({ action: 'codes_voided', detail: `${first.label}: ${what}`, ctx })
    return { success: true as const, voided: others.length + 1 }
  })
}
