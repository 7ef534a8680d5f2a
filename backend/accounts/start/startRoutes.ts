import type { RouterContext } from '@koa/router'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { networkAddress, wideNetwork } from '../../kernel/http/fairness/networkAddress.ts'
import * as contract from '../contract.ts'
import { mailIdentity } from '../mails/mailAddress.ts'
import type { AccountRoutes } from '../routes.ts'
import { assertOpen } from '../sessions/registrationOpen.ts'
import { createSignIns } from '../sessions/signIns.ts'
import { newToken, START_LIFETIME_MS } from './startDrafts.ts'

/** Where first frames come from and go to. */
export interface StartImages {
  /** Reads and checks the picture of a visitor, within the limits of the network. */
  readonly receive: (ctx: RouterContext, network: string) => Promise<Buffer>
  /** Stores a picture as a user's upload. Returns its URL. */
  readonly store: (userId: string, data: Buffer) => Promise<string>
}

/** Serves sign-ins by mailed link, which carry the draft of a visitor. */
export function serveStart(serve: Serve, services: AccountRoutes, images: StartImages): void {
  const { attempts, cookies, drafts, startLinks } = services
  const signIns = createSignIns(services)

  serve(contract.start, async ({ body, ctx }) => {
    assertOpen(services)
    await attempts.take(ctx, 'start from', networkAddress(ctx))
    await attempts.take(ctx, 'start', mailIdentity(body.email))
    // Every link that a browser asks for works in it without a click.
    const browser = cookies.start(ctx) || newToken()
    await startLinks.begin(body, browser)
    cookies.setStart(ctx, browser, START_LIFETIME_MS)
    return { message: 'A link is on its way.' }
  })

  serve(contract.startImage, async ({ ctx }) => {
    assertOpen(services)
    return { image: await drafts.keepImage(await images.receive(ctx, networkAddress(ctx)), wideNetwork(ctx)) }
  })

  serve(contract.previewStart, ({ body, ctx }) => startLinks.preview(body.token, cookies.start(ctx)))

  serve(contract.confirmStart, async ({ body, ctx }) => signIns.openOrAsk(ctx, await startLinks.confirm(body.token)))

  serve(contract.readStartDraft, async ({ userId }) => ({
    draft: await drafts.read(userId, (data) => images.store(userId, data)),
  }))

  serve(contract.removeStartDraft, async ({ userId, params }) => {
    if (!(await drafts.remove(userId, params.key))) throw new Rejection('not_found', 'There is no such draft.')
    return undefined
  })
}
