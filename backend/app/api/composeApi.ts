import type { IncomingMessage, Server } from 'node:http'
import path from 'node:path'
import type Router from '@koa/router'
import type Koa from 'koa'
import type { Context as HttpContext } from 'koa'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { serveFactors } from '../../accounts/factors/factorRoutes.ts'
import { createKeyMails } from '../../accounts/mails/keyMails.ts'
import { serveNotices } from '../../accounts/notices/noticeRoutes.ts'
import { createPushSubscriptions } from '../../accounts/notices/pushSubscriptions.ts'
import { serveAccounts } from '../../accounts/routes.ts'
import { userFactors } from '../../accounts/secondFactors.contract.ts'
import { pageGuard } from '../../accounts/sessions/pageGuard.ts'
import { serveSettings } from '../../accounts/settingsRoutes.ts'
import { serveStart } from '../../accounts/start/startRoutes.ts'
import { createPageViews } from '../../analytics/pageViews.ts'
import { serveAnalytics } from '../../analytics/routes.ts'
import { createVisitCounter } from '../../analytics/visitCounter.ts'
import { createVisitors } from '../../analytics/visitors.ts'
import { serveFoundKeys, serveKeys } from '../../apiKeys/routes.ts'
import { serveCredits } from '../../credits/routes.ts'
import { localDayOf } from '../../kernel/days.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { clockRoutes } from '../../kernel/http/clockRoutes.ts'
import { status } from '../../kernel/http/contract.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { createFairAdmission } from '../../kernel/http/fairness/fairAdmission.ts'
import { refuseForeign } from '../../kernel/http/ownOrigin.ts'
import { createOwnWrites } from '../../kernel/http/ownWrites.ts'
import type { Realtime } from '../../kernel/http/realtime.ts'
import { redirects } from '../../kernel/http/redirects.ts'
import { createPageRenderer } from '../../kernel/http/site/renderedPages.ts'
import { serveSite } from '../../kernel/http/site/staticSite.ts'
import { watchEventLoop } from '../../kernel/observability/eventLoopWatch.ts'
import { securityTxt } from '../../kernel/securityTxt.ts'
import { createRateLimit, exchangeCounts } from '../../kernel/sharedRateLimit.ts'
import { operatorGuard } from '../../operators/operatorRoutes.ts'
import { mailboxRoutes } from '../../providers/mail/mailboxRoutes.ts'
import { sandboxRoutes } from '../../providers/payments/sandbox/sandboxRoutes.ts'
import { isUltraHd } from '../../tasks/contract.ts'
import { createUploadLimits } from '../../tasks/uploads/uploadLimits.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import { createHttpApp } from '../httpApp.ts'
import { composeOperators } from '../operators/composeOperators.ts'
import type { Services } from '../services.ts'
import { VERSION } from '../version.ts'
import { rendersHere } from '../video/capacity.ts'
import { composeVideos } from './composeVideos.ts'
import { serveBilling } from './serveBilling.ts'
import { webhooksOf } from './webhooksOf.ts'

export interface Listening {
  readonly server: Server
  readonly publicUrl: () => string
  /** `/healthz`, `/readyz` and `/metrics`, unless another port serves them. */
  readonly health: readonly Router[]
  /** Folder of the built site. If undefined, only the API is served. */
  readonly site: string | undefined
}

/** Calls of a user, and of one of the user's API keys, on all processes, in a minute. */
const CALLS_PER_MINUTE = { user: 1_200, key: 300 }

const authenticateIn =
  ({ sessions }: AccountServices) =>
  async (ctx: HttpContext) => {
    const session = await sessions.current(ctx)
    ctx.state.sessionId = session?.sessionId
    return session?.userId
  }

function serveUsers(
  serve: Serve,
  { database }: Context,
  accounts: AccountServices,
  sender: Adapters['push'],
  pictures: Parameters<typeof serveStart>[2],
): void {
  serveAccounts(serve, accounts)
  serveStart(serve, accounts, pictures)
  serveSettings(serve, accounts)
  const subscriptions = createPushSubscriptions(database)
  serveNotices(serve, { database, subscriptions, sender })
  serveFactors(serve, userFactors, accounts.factors, async (ctx, userId) => {
    const account = userId === undefined ? null : await accounts.accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    return accounts.confirmations.ownerOf(ctx, account)
  })
}

function serveStatus(serve: Serve, config: Context['config'], adapters: Adapters): void {
  const demo_renderer = rendersHere(adapters.videos)
  const { registration } = config
  const { mode: payments } = config.payments
  const { supportEmail: support_email } = config.http
  const { label: video_label } = config.marks
  const prompt_optimizer = hasOptimizer(adapters)
  serve(status, () => ({
    demo_renderer,
    payments,
    prompt_optimizer,
    registration,
    support_email,
    video_label,
    version: VERSION,
  }))
}

/** Returns the routes that exist only in development. */
function developmentRoutes(context: Context, adapters: Adapters, { outbox }: Services, accounts: AccountServices) {
  const mailDelivered = async () => {
    await accounts.settled()
    await outbox.empty(3_000)
  }
  const routes = [
    adapters.mailbox && mailboxRoutes(adapters.mailbox, mailDelivered),
    adapters.sandbox && sandboxRoutes(adapters.sandbox.state),
    context.advanceCalendar && clockRoutes(context.advanceCalendar),
  ]
  return routes.filter((each) => each !== undefined)
}

/** Creates what limits and refuses requests. */
function createGuards(context: Context, { keyDoor }: Services, { sessions }: AccountServices, publicUrl: () => string) {
  const { config, log, changes, pool } = context
  const eventLoop = watchEventLoop(log)
  const admission = createFairAdmission(config.http.rates, (ctx) => keyDoor.genuine(ctx) ?? sessions.issuedFor(ctx))
  const limits = { users: createRateLimit(CALLS_PER_MINUTE.user), keys: createRateLimit(CALLS_PER_MINUTE.key) }
  const stopExchanges = Object.values(limits).map((limit) => exchangeCounts(limit, changes, pool))
  const refuse = refuseForeign(publicUrl, config.production)
  return {
    middleware: {
      watchEventLoop: eventLoop.middleware,
      admit: admission.middleware,
      refuseForeign: refuse,
      limits,
    },
    admitSocket: (app: Koa, request: IncomingMessage) => admission.admitSocket(app, request, refuse),
    stop() {
      eventLoop.stop()
      admission.stop()
      for (const stop of stopExchanges) stop()
    },
  }
}

/** Builds the services that only the API needs, and the application that serves them. */
export function composeApi(
  context: Context,
  adapters: Adapters,
  services: Services,
  { publicUrl, health, site, accounts, realtime }: Listening & { accounts: AccountServices; realtime: Realtime },
) {
  const { config, log, pool, calendar, changes, observability } = context
  const ownWrites = createOwnWrites(changes, pool)
  const operators = composeOperators(context, adapters, publicUrl, {
    throttle: accounts.throttle,
    userKeys: services.userKeys,
    passkeys: accounts.factors.passkeys,
  })
  const authenticate = authenticateIn(accounts)
  const visitCounter = createVisitCounter(pool, log)
  const pageViews = createPageViews(pool, log, visitCounter.wake)

  const uploadLimits = createUploadLimits(context.database, accounts.throttle.take)
  const pageSettings = () => ({ publicUrl: publicUrl(), facts: installationFacts(config, adapters) })
  const videos = composeVideos(context, adapters, services, { realtime, ownWrites, accounts, uploadLimits, publicUrl })

  const keyRoutes = {
    ...{ apiKeys: services.apiKeys, door: services.keyDoor },
    ...{ confirmations: accounts.confirmations, securityLog: accounts.securityLog },
    tellOwner: createKeyMails(context.database, services.outbox, publicUrl).revoked,
  }
  const api = (serve: Serve) => {
    serveUsers(serve, context, accounts, adapters.push, {
      receive: (ctx, network) => services.uploads.receiveFrom(ctx, network, uploadLimits),
      store: services.uploads.store,
    })
    serveKeys(serve, keyRoutes)
    serveCredits(serve, context)
    serveBilling(serve, context, adapters, services, pageSettings)
    videos.serve(serve)
    const visitors = createVisitors(pool, localDayOf(config.operators.timeZone))
    serveAnalytics(serve, { pageViews, visitors, authenticate, calendar })
    operators.serve(serve)
    serveStatus(serve, config, adapters)
  }
  const programs = (serve: Serve) => {
    videos.programs(serve)
    serveFoundKeys(serve, keyRoutes)
  }
  const guards = createGuards(context, services, accounts, publicUrl)
  const app = createHttpApp({
    log,
    metrics: observability.metrics,
    ...guards.middleware,
    publicUrl,
    trustedProxies: config.http.trustedProxies,
    identity: { authenticate, authenticateKey: services.keyDoor.authenticate, isOperator: operators.isSignedIn },
    ownWrites,
    api,
    programs,
    webhooks: webhooksOf(context, adapters, services),
    pages: [
      ...health,
      securityTxt({ publicUrl, supportEmail: config.http.supportEmail }),
      ...(site ? [videos.pages(createPageRenderer(path.join(site, 'server/entry.mjs'), pageSettings))] : []),
      ...developmentRoutes(context, adapters, services, accounts),
    ],
    site: [
      operatorGuard(operators.isSignedIn),
      ...(site ? [redirects, pageGuard(accounts.cookies), serveSite(path.join(site, 'client'), pageSettings)] : []),
    ],
  })
  return {
    callback: app.callback(),
    admitSocket: (request: IncomingMessage) => guards.admitSocket(app, request),
    /** Waits for work that outlives its request. */
    async settle() {
      guards.stop()
      await accounts.settled()
      await pageViews.flush()
      await visitCounter.close()
    },
  }
}

const hasOptimizer = ({ videos }: Adapters): boolean =>
  [...videos.values()].some(({ ignoresOptimizer }) => !ignoresOptimizer)

const installationFacts = ({ payments, registration }: Context['config'], adapters: Adapters) => {
  const shapes = adapters.catalogue.offered().flatMap((model) => model.shapes)
  return {
    plans: payments.mode === 'off' ? 'off' : 'on',
    registration,
    optimizer: hasOptimizer(adapters) ? 'on' : 'off',
    ultrahd: shapes.some(({ resolutions }) => resolutions.some(isUltraHd)) ? 'on' : 'off',
  }
}
