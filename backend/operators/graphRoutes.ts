import type { Context } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { GraphSetup } from './graphSetup.port.ts'
import * as contract from './graphs.contract.ts'
import type { OperatorActions } from './operatorActions.ts'

interface GraphRoutes {
  /** Undefined without a ComfyUI server. */
  readonly setup: () => GraphSetup | undefined
  readonly actions: Pick<OperatorActions, 'record'>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
}

const TIMEOUT_MS = 30_000
const PICTURE_TIMEOUT_MS = 120_000
const UNAVAILABLE = { available: false, ok: true, detail: '', graphs: [] }

/** Serves the set-up of ComfyUI's graphs. */
export function serveGraphs(serve: Serve, { setup: current, actions, requireStepUp }: GraphRoutes): void {
  const configured = (): GraphSetup => {
    const setup = current()
    if (!setup) throw new Rejection('not_found', 'No ComfyUI server is configured.')
    return setup
  }
  const soon = () => AbortSignal.timeout(TIMEOUT_MS)
  const testId = (id: string) => {
    if (!isUuid(id)) throw new Rejection('not_found', 'There is no such test render.')
    return id
  }

  serve(contract.graphs, async () => {
    const setup = current()
    if (!setup) return { success: true as const, data: UNAVAILABLE }
    const [check, graphs] = await Promise.all([setup.check(soon()), setup.list()])
    return { success: true as const, data: { available: true, ...check, graphs: [...graphs] } }
  })
  serve(contract.inspectGraph, ({ body }) => configured().inspect(body.workflow, soon()))
  serve(contract.testGraph, async ({ body: { prompt, resolution, seconds, ...draft } }) => ({
    test_id: await configured().test(draft, { prompt, resolution, seconds }, soon()),
  }))
  serve(contract.graphTest, ({ params, query }) => configured().testState(testId(params.id), query.output, soon()))
  serve(contract.graphTestPicture, async ({ params, query, ctx }) => {
    const signal = AbortSignal.timeout(PICTURE_TIMEOUT_MS)
    ctx.body = await configured().picture(testId(params.id), query.output, query.fps, signal)
    ctx.type = 'image/jpeg'
    return undefined
  })
  serve(contract.saveGraph, async ({ body, ctx }) => {
    await requireStepUp(ctx)
    await configured().save(body)
    await actions.record({ action: 'graph_saved', detail: body.id, ctx })
    return { id: body.id }
  })
}
