import { buffer } from 'node:stream/consumers'
import type Router from '@koa/router'
import type { Context } from 'koa'
import type pg from 'pg'
import type { Logger } from 'pino'
import { readCredits } from '#projections/credits/readCredits.ts'
import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { AccessControl, Serve } from '../kernel/http/endpoint.ts'
import { networkAddress } from '../kernel/http/fairness/networkAddress.ts'
import type { RefuseForeign } from '../kernel/http/ownOrigin.ts'
import { rejectionOf } from '../kernel/http/problemDetails.ts'
import type { RenderPage } from '../kernel/http/site/renderedPages.ts'
import type { MediaStore } from '../kernel/media/mediaStore.port.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { CatalogueModel } from './contract.ts'
import { serveLibrary } from './library/libraryRoutes.ts'
import { createMarks } from './library/marks.ts'
import { createFileLinks } from './mcp/fileLinks.ts'
import { mcpRoutes } from './mcp/mcpRoutes.ts'
import { createQuotes } from './mcp/quotes.ts'
import type { ToolDeps } from './mcp/tools.ts'
import { type MediaRoutes, serveMedia } from './mediaRoutes.ts'
import { wakeTask } from './providerCallbacks.ts'
import { serveTasks, type TaskRoutes } from './routes.ts'
import { createSharedVideos, type SharedVideosOptions } from './shares/sharedVideos.ts'
import { sharePages } from './shares/sharePages.ts'
import { removalOf } from './shares/shareRemovals.ts'
import { serveShares } from './shares/shareRoutes.ts'
import { createShareSignatures, createShares } from './shares/shares.ts'
import { createTasks, type TaskDeps } from './tasks.ts'
import { createOrders } from './v1/orders.ts'
import { createRepeats } from './v1/repeats.ts'
import { serveV1 } from './v1/v1Routes.ts'
import type { VideoProvider } from './videoProvider.port.ts'
import { createWorks, type WorksDeps } from './works.ts'

/** How often a network without a session may ask what is drawn: it asks while it types. */
const VISITOR = { burst: 120, everyMs: 1_000 }
/** A network address counts once as a viewer of a share in this time. */
const VIEW = { burst: 1, everyMs: 30 * 60_000 }
/** How often a network address may report films. */
const REPORT = { burst: 5, everyMs: 10 * 60_000 }

type TaskApiDeps = Omit<TaskDeps, 'cancels' | 'wake' | 'understands'> &
  Omit<WorksDeps, 'nameOf'> &
  Pick<MediaRoutes, 'downloads' | 'files' | 'uploadLimits'> &
  Pick<SharedVideosOptions, 'publicUrl' | 'supportEmail' | 'openReport'> &
  Pick<TaskRoutes, 'realtime'> & {
    readonly pool: pg.Pool
    readonly videos: ReadonlyMap<string, VideoProvider>
    readonly userById: (userId: string) => Promise<{ fullName: string; language: 'en' | 'zh' } | null>
    /** Rejects if the subject has used its share of an action. */
    readonly throttle: (
      action: 'share view' | 'share report' | 'understand',
      subject: string,
      limit: typeof VIEW,
    ) => Promise<void>
    /** Signs the addresses of shared videos. */
    readonly secret: string
    readonly changes: Pick<Changes, 'subscribe'>
    readonly credits: Pick<ToolDeps, 'spentBy'>
    readonly log: Logger
    readonly version: string
  }

/** Creates the calls and the public pages about videos. */
export function createTaskApi(deps: TaskApiDeps) {
  const { pool, catalogue, videos, files, clock, userById } = deps
  const cancelsJobs = (provider: string) => videos.get(provider)?.cancels ?? false
  const understands: TaskDeps['understands'] = (provider, prompt) => videos.get(provider)?.understands?.(prompt, 'en')
  const tasks = createTasks({ ...deps, understands, cancels: cancelsJobs, wake: (taskId) => wakeTask(pool, taskId) })
  const nameOf = async (userId: string) => (await userById(userId))?.fullName
  const works = createWorks({ ...deps, nameOf })
  const cancels = ({ routes }: CatalogueModel) => routes.every(({ provider }) => cancelsJobs(provider))
  const understand: TaskRoutes['understand'] = (model, prompt, language) => {
    const chosen = catalogue.offered().find(({ id }) => model === undefined || id === model)
    return videos.get(chosen?.routes[0]?.provider ?? '')?.understands?.(prompt, language)
  }
  const languageOf = async (userId: string) => (await userById(userId))?.language
  const limitVisitor = (ctx: Context) => deps.throttle('understand', networkAddress(ctx), VISITOR)
  const shares = createShares(pool, clock)
  const attached = { shares, marks: createMarks(pool) }
  const signatures = createShareSignatures(deps.secret)
  const sharedVideos = createSharedVideos({
    ...{ ...deps, shares, works, signatures, nameOf },
    removalOf: (taskId) => removalOf(pool, taskId),
  })
  const limitReports = (ctx: Context) => deps.throttle('share report', networkAddress(ctx), REPORT)
  const isNewView = (ctx: Context, id: string) =>
    deps.throttle('share view', `${id} ${networkAddress(ctx)}`, VIEW).then(
      () => true,
      () => false,
    )

  const orders = createOrders({ works, catalogue, publicUrl: deps.publicUrl })
  const links = createFileLinks(deps)
  const mcp = {
    ...{ ...deps, tasks, works, orders, links, quotes: createQuotes(deps), spentBy: deps.credits.spentBy },
    balanceOf: async (userId: string) =>
      (await readCredits(deps.database, userId, new Date(deps.calendar()).toISOString())).remaining,
    posterOf: async (userId: string, id: string) =>
      readSmall(files.media, await files.copies.poster(await works.readFinished(userId, id))),
    rejectionOf: (error: unknown, { correlationId, commandId }: CommandContext) =>
      rejectionOf(deps.log, error, { requestId: commandId, correlationId, route: '/mcp' }),
  }

  return {
    filmsOf: works.shown,
    serve(serve: Serve): void {
      serveTasks(serve, { ...deps, tasks, works, attached, cancels, understand, languageOf, limitVisitor })
      serveLibrary(serve, { works, tasks, attached, files, downloads: deps.downloads })
      serveMedia(serve, { ...deps, works })
      serveShares(serve, { works, shares, sharedVideos, isNewView, limitReports })
    },
    servePrograms: (serve: Serve): void =>
      serveV1(serve, { ...deps, tasks, works, orders, attached, repeats: createRepeats(deps.database, clock) }),
    /** Routes for assistants. Their access is the one of `servePrograms`. */
    assistants: (access: AccessControl, refuseForeign: RefuseForeign): Router[] => [
      mcpRoutes({ access, refuseForeign, publicUrl: deps.publicUrl, mcp }),
      links.router,
    ],
    pages: (render: RenderPage): Router =>
      sharePages({ sharedVideos, media: files.media, render, publicUrl: deps.publicUrl }),
  }
}

/** Size of the largest picture in a message, bytes. */
const MAX_PICTURE = 300_000

/** Reads a file; undefined if it does not exist or is large. */
async function readSmall(media: Pick<MediaStore, 'size' | 'read'>, key: string): Promise<Buffer | undefined> {
  const size = await media.size(key)
  if (size === undefined || size > MAX_PICTURE) return undefined
  return buffer(media.read(key))
}
