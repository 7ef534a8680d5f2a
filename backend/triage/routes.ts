import type { Context } from 'koa'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { Triage } from './triage.ts'

export interface TriageRoutes {
  readonly triage: Triage
  readonly bulks: () => Promise<contract.Bulk[]>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly record: (ctx: Context, action: 'bulk_ordered' | 'bulk_stopped', detail: string) => Promise<void>
}

/** Serves the triage of stuck and failed videos. */
export function serveTriage(serve: Serve, { triage, bulks, requireStepUp, record }: TriageRoutes): void {
  serve(contract.readTriage, async () => ({
    success: true as const,
    groups: await triage.groups(),
    bulks: await bulks(),
  }))

  serve(contract.orderBulk, async ({ body, ctx, operator: { name } }) => {
    if (!body.dry_run) await requireStepUp(ctx)
    const found = await triage.order(body, name)
    if (found.bulk)
      await record(ctx, 'bulk_ordered', `${body.kind} of ${found.bulk.count} videos: bulk ${found.bulk.id}`)
    return found
  })

  serve(contract.stopBulk, async ({ params, ctx, operator: { name } }) => {
    await requireStepUp(ctx)
    const bulk = await triage.stop(params.id, name)
    await record(ctx, 'bulk_stopped', `bulk ${params.id}`)
    return { bulk }
  })
}
