import { findProvider } from '#workflows/tasks/candidateRoutes.ts'
import type { AccountServices } from '../../accounts/accountServices.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import type { OwnWrites } from '../../kernel/http/ownWrites.ts'
import type { Realtime } from '../../kernel/http/realtime.ts'
import type { CatalogueModel } from '../../tasks/contract.ts'
import { serveMedia } from '../../tasks/mediaRoutes.ts'
import { wakeTask } from '../../tasks/providerCallbacks.ts'
import { serveTasks } from '../../tasks/routes.ts'
import { createTasks } from '../../tasks/tasks.ts'
import type { UploadLimits } from '../../tasks/uploadLimits.ts'
import { createWorks } from '../../tasks/works.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import { limitsOf } from '../engine.ts'
import type { Services } from '../services.ts'

interface VideoParts {
  readonly realtime: Realtime
  readonly ownWrites: OwnWrites
  readonly accounts: AccountServices
  readonly uploadLimits: UploadLimits
}

/** Serves tasks, works and media files. */
export function serveVideos(
  serve: Serve,
  { config, database, pool, store, handle, clock, calendar, temporaryDir }: Context,
  { catalogue, marker, media, videos }: Adapters,
  { allowance, credits, uploads, userKeys }: Services,
  { realtime, ownWrites, accounts, uploadLimits }: VideoParts,
): void {
  const { encrypt, tryDecrypt: decrypt } = userKeys
  const { note } = ownWrites
  const ordering = { uploads, catalogue, encrypt, allowance, credits }
  const cancelling = {
    cancels: (provider: string | undefined) => findProvider(videos, provider)?.cancels ?? false,
    wake: (taskId: string) => wakeTask(pool, taskId),
  }
  const tasks = createTasks({ handle, store, database, note, clock, media, ...ordering, ...cancelling })
  const works = createWorks({ store, database, clock, calendar, decrypt, allowance, ...limitsOf(videos) })
  const cancels = ({ routes }: CatalogueModel) => routes.every(({ provider }) => videos.get(provider)?.cancels)
  const understand = async (userId: string, model: string, prompt: string) => {
    const route = catalogue.offered().find(({ id }) => id === model)?.routes[0]
    const account = await accounts.accounts.byId(userId)
    return videos.get(route?.provider ?? '')?.understands?.(prompt, account?.language ?? 'en')
  }
  serveTasks(serve, { tasks, works, catalogue, cancels, realtime, understand })
  serveMedia(serve, {
    works,
    uploads,
    uploadLimits,
    copies: { media, marker, temporaryDir, ffmpegPath: config.video.ffmpegPath },
    labels: { pool, clock, policy: config.marks.label, recipientOf: accounts.accounts.byId },
    watermarks: async (userId) => (await allowance(userId)).watermark,
  })
}
