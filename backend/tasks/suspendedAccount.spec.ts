import { expect, it } from 'vitest'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type Serve, serveWith } from '../kernel/http/endpoint.ts'
import { must } from '../kernel/must.ts'
import * as contract from './contract.ts'

type Route = (ctx: object) => Promise<void>

it.each([
  ['order a video', contract.generate],
  ['join videos', contract.joinVideos],
  ['upload a picture', contract.uploadImage],
  ['take a frame of a video', contract.lastFrame],
  ['share a video', contract.shareTask],
])('refuses a suspended account that wants to %s', async (_, endpoint) => {
  const routes: Route[] = []
  const router = { post: (_: string, route: Route) => void routes.push(route) }
  const access = {
    authenticateKey: async () => undefined,
    authenticate: async () => 'user',
    async assertActive() {
      throw new Rejection('account_suspended', 'This account is suspended.')
    },
  }
  const serve: Serve = serveWith(router as never, access as never)
  serve(endpoint as never, (() => ({})) as never)

  const call = must(routes[0], 'route')({ state: {}, query: {} })
  await expect(call).rejects.toMatchObject({ code: 'account_suspended' })
})
