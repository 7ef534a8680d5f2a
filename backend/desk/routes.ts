import type { Context } from 'koa'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { Desk } from './desk.ts'

export interface DeskRoutes {
  readonly desk: Desk
  readonly operator: string
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly record: (
    ctx: Context,
    action: 'desk_action' | 'person_shown' | 'note_written',
    detail: string,
  ) => Promise<void>
  listActions(
    userId: string | null,
    page: number,
    perPage: number,
  ): Promise<{ readonly actions: contract.DeskAction[]; readonly total: number }>
}

/** Serves the actions of operators. */
export function serveDesk(serve: Serve, { desk, operator, requireStepUp, record, listActions }: DeskRoutes): void {
  serve(contract.askAction, async ({ body, ctx }) => {
    await requireStepUp(ctx)
    const action = await desk.ask(body, operator)
    await record(ctx, 'desk_action', `${action.kind} ${action.subject}: ${action.status}, action ${action.id}`)
    return { action }
  })

  serve(contract.listActions, async ({ query }) => ({
    success: true as const,
    ...(await listActions(query.user ?? null, query.page, query.per_page)),
  }))
}
