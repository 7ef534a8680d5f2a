import { readFile } from 'node:fs/promises'
import type { Context } from 'koa'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { EngineSetup } from './engineSetup.port.ts'
import * as contract from './engines.contract.ts'
import type { OperatorActions } from './operatorActions.ts'

interface EngineRoutes {
  readonly setup: EngineSetup
  readonly actions: Pick<OperatorActions, 'record' | 'isFirstSignIn'>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
}

const TIMEOUT_MS = 10_000

/** Serves the engine wizard. */
export function serveEngines(serve: Serve, { setup, actions, requireStepUp }: EngineRoutes): void {
  serve(contract.engines, async ({ ctx, operator }) => {
    const [list, isFirst] = await Promise.all([setup.list(AbortSignal.timeout(TIMEOUT_MS)), actions.isFirstSignIn(ctx)])
    return { success: true as const, data: { ...list, first_sign_in: isFirst && operator.role === 'owner' } }
  })
  serve(contract.findEngines, ({ body }) => setup.find(body.address))
  serve(contract.connectEngine, async ({ body, ctx }) => {
    await requireStepUp(ctx)
    const name = await setup.connect(body)
    await actions.record({ action: 'engine_connected', detail: name, ctx })
    return undefined
  })
  serve(contract.disconnectEngine, async ({ params, ctx }) => {
    await requireStepUp(ctx)
    await setup.disconnect(params.id)
    await actions.record({ action: 'engine_disconnected', detail: params.id, ctx })
    return undefined
  })
  serve(contract.testEngine, async ({ body }) => ({ test_id: await setup.test(body) }))
  serve(contract.engineTest, ({ params }) => setup.testState(params.id))
  serve(contract.engineTestClip, async ({ params, ctx }) => {
    ctx.body = await setup.withClip(params.id, (file) => readFile(file))
    ctx.type = 'video/mp4'
    return undefined
  })
  serve(contract.priceModel, async ({ body, ctx }) => {
    await requireStepUp(ctx)
    await setup.price(body)
    await actions.record({ action: 'model_priced', detail: body.model, ctx })
    return undefined
  })
}
