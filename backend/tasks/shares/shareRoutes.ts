import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import * as contract from '../contract.ts'
import type { Works } from '../works.ts'
import type { SharedVideos } from './sharedVideos.ts'
import type { Shares } from './shares.ts'

export interface ShareRoutes {
  readonly works: Pick<Works, 'readOwn'>
  readonly shares: Shares
  readonly sharedVideos: SharedVideos
  /** Returns whether the caller has not viewed this share for a while. */
  readonly isNewView: (ctx: Context, id: string) => Promise<boolean>
  /** Rejects if the caller has reported too often. */
  readonly limitReports: (ctx: Context) => Promise<void>
}

/** Serves the calls by which users share their videos, and the one that counts views. */
export function serveShares(serve: Serve, { works, shares, sharedVideos, isNewView, limitReports }: ShareRoutes): void {
  serve(contract.shareTask, ({ userId, params, body }) =>
    sharedVideos.share(userId, params.id, { showPrompt: body.show_prompt, showName: body.show_name }),
  )

  serve(contract.getShare, ({ userId, params }) => sharedVideos.read(userId, params.id))

  serve(contract.endShare, async ({ userId, params }) => {
    await shares.end(await works.readOwn(userId, params.id))
    return undefined
  })

  serve(contract.reportShare, async ({ params, body, ctx }) => {
    await limitReports(ctx)
    await sharedVideos.report(params.id, body.reason)
    return undefined
  })

  serve(contract.countShareView, async ({ params, ctx }) => {
    const share = await shares.find(params.id)
    if (!share) throw new Rejection('not_found', 'This video is not shared.')
    if (await isNewView(ctx, share.id)) await shares.countView(share.id)
    return undefined
  })
}
