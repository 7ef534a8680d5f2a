import { expect, it } from 'vitest'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { must } from '../kernel/must.ts'
import * as contract from './contract.ts'
import { serveGraphs } from './graphRoutes.ts'

type Handler = (call: object) => Promise<unknown>

it('stores no graph, which sets the price of a model, without the step-up', async () => {
  const handlers = new Map<unknown, Handler>()
  const serve = (endpoint: unknown, handler: Handler) => void handlers.set(endpoint, handler)
  const done: string[] = []
  const note = (what: string) => async () => void done.push(what)
  const requireStepUp = async () => {
    throw new Rejection('step_up_required', 'Please confirm this with your second factor.')
  }
  const routes = { setup: () => ({ save: note('saved') }), actions: { record: note('recorded') }, requireStepUp }
  serveGraphs(serve as never, routes as never)

  const saved = must(handlers.get(contract.saveGraph), 'handler')({ body: { id: 'wan', credits: 1 }, ctx: {} })
  await expect(saved).rejects.toMatchObject({ code: 'step_up_required' })
  expect(done).toEqual([])
})
