import type Router from '@koa/router'
import type { Context as HttpContext } from 'koa'
import type { AccountServices } from '../../accounts/accountServices.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import type { OwnWrites } from '../../kernel/http/ownWrites.ts'
import type { Realtime } from '../../kernel/http/realtime.ts'
import type { RenderPage } from '../../kernel/http/site/renderedPages.ts'
import type { CatalogueModel } from '../../tasks/contract.ts'
import { serveLibrary } from '../../tasks/library/libraryRoutes.ts'
import { createMarks } from '../../tasks/library/marks.ts'
import { serveMedia } from '../../tasks/mediaRoutes.ts'
import { wakeTask } from '../../tasks/providerCallbacks.ts'
import { serveTasks } from '../../tasks/routes.ts'
import { createSharedVideos } from '../../tasks/shares/sharedVideos.ts'
import { sharePages } from '../../tasks/shares/sharePages.ts'
import { serveShares } from '../../tasks/shares/shareRoutes.ts'
import { createShareSignatures, createShares } from '../../tasks/shares/shares.ts'
import { createTasks } from '../../tasks/tasks.ts'
import type { UploadLimits } from '../../tasks/uploads/uploadLimits.ts'
import { createRepeats } from '../../tasks/v1/repeats.ts'
import { serveV1 } from '../../tasks/v1/v1Routes.ts'
import { createWorks } from '../../tasks/works.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import { estimatesOf } from '../video/capacity.ts'

interface Surroundings {
  readonly realtime: Realtime
  readonly ownWrites: OwnWrites
  readonly accounts: AccountServices
  readonly uploadLimits: UploadLimits
  readonly publicUrl: () => string
}

/** A network address counts once as a viewer of a share in this time. */
const VIEW = { burst: 1, everyMs: 30 * 60_000 }

/** Builds the services about videos, and serves their calls and public pages. */
export function composeVideos(context: Context, adapters: Adapters, services: Services, around: Surroundings) {
  const { config, database, pool, store, handle, clock, calendar, temporaryDir } = context
  const { catalogue, media, videos } = adapters
  const { allowance, copies, credits, labels, removals, uploads, userKeys } = services
  const { realtime, ownWrites, accounts, uploadLimits, publicUrl } = around
  const { encrypt, tryDecrypt: decrypt } = userKeys
  const { note } = ownWrites
  const { byId } = accounts.accounts
  const ordering = { uploads, catalogue, encrypt, allowance, credits }
  const cancelling = {
    cancels: (provider: string) => videos.get(provider)?.cancels ?? false,
    wake: (taskId: string) => wakeTask(pool, taskId),
  }
  const tasks = createTasks({ handle, store, database, note, clock, removals, ...ordering, ...cancelling })
  const works = createWorks({ store, database, clock, calendar, decrypt, allowance, ...estimatesOf(videos) })
  const cancels = ({ routes }: CatalogueModel) => routes.every(({ provider }) => videos.get(provider)?.cancels)
  const understand = async (userId: string, model: string, prompt: string) => {
    const route = catalogue.offered().find(({ id }) => id === model)?.routes[0]
    return videos.get(route?.provider ?? '')?.understands?.(prompt, (await byId(userId))?.language ?? 'en')
  }
  const { ffmpegPath } = config.video
  const shares = createShares(pool, clock)
  const attached = { shares, marks: createMarks(pool) }
  const sharedVideos = createSharedVideos({
    ...{ shares, works, publicUrl },
    files: { media, copies },
    signatures: createShareSignatures(config.secrets.session),
    nameOf: async (userId) => (await byId(userId))?.fullName,
    supportEmail: config.http.supportEmail,
  })
  const isNewView = (ctx: HttpContext, id: string) =>
    accounts.throttle.take('share view', `${id} ${networkAddress(ctx)}`, VIEW).then(
      () => true,
      () => false,
    )

  return {
    serve(serve: Serve): void {
      serveTasks(serve, { tasks, works, attached, catalogue, cancels, realtime, understand })
      serveLibrary(serve, { works, tasks, attached, files: { media, copies } })
      serveMedia(serve, { works, uploads, uploadLimits, files: { media, copies, labels, temporaryDir, ffmpegPath } })
      serveShares(serve, { works, shares, sharedVideos, isNewView })
    },
    programs: (serve: Serve): void =>
      serveV1(serve, {
        ...{ tasks, works, attached, catalogue, uploads, uploadLimits, files: { media, copies } },
        repeats: createRepeats(database, clock),
      }),
    pages: (render: RenderPage): Router => sharePages({ sharedVideos, media, render, publicUrl }),
  }
}
