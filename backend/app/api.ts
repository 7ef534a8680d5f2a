import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Router from '@koa/router'
import type { Context as HttpContext } from 'koa'
import { findProvider } from '#workflows/tasks/candidateRoutes.ts'
import { type AccountServices, createAccountServices } from '../accounts/accountServices.ts'
import { serveFactors } from '../accounts/factors/factorRoutes.ts'
import { serveAccounts } from '../accounts/routes.ts'
import { userFactors } from '../accounts/secondFactors.contract.ts'
import { pageGuard } from '../accounts/sessions/pageGuard.ts'
import { ENDED_SESSIONS } from '../accounts/sessions/sessions.ts'
import { serveSettings } from '../accounts/settingsRoutes.ts'
import { createPageViews } from '../analytics/pageViews.ts'
import { serveAnalytics } from '../analytics/routes.ts'
import { createVisitCounter } from '../analytics/visitCounter.ts'
import { createVisitors } from '../analytics/visitors.ts'
import { serveCredits } from '../credits/routes.ts'
import { localDayOf } from '../kernel/days.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { clockRoutes } from '../kernel/http/clockRoutes.ts'
import { status } from '../kernel/http/contract.ts'
import { drain } from '../kernel/http/drain.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { createOwnWrites, type OwnWrites } from '../kernel/http/ownWrites.ts'
import { createRealtime, type Realtime } from '../kernel/http/realtime.ts'
import { redirects } from '../kernel/http/redirects.ts'
import { serveSite } from '../kernel/http/site/staticSite.ts'
import { watchEventLoop } from '../kernel/observability/eventLoopWatch.ts'
import { RELISTENED } from '../kernel/postgres/changes.ts'
import { securityTxt } from '../kernel/securityTxt.ts'
import { createRateLimit, exchangeCounts } from '../kernel/sharedRateLimit.ts'
import { operatorGuard } from '../operators/operatorRoutes.ts'
import { mailboxRoutes } from '../providers/mail/mailboxRoutes.ts'
import { sandboxRoutes } from '../providers/payments/sandbox/sandboxRoutes.ts'
import { definitionRoutes } from '../providers/video/definitions/definitionRoutes.ts'
import { createWebhookKeys } from '../providers/video/definitions/webhookKeys.ts'
import { callbackRoutes } from '../providers/video/minimax/callbackRoutes.ts'
import { serveSubscriptions } from '../subscriptions/routes.ts'
import { createSubscriptions } from '../subscriptions/subscriptions.ts'
import { webhookRoutes } from '../subscriptions/webhookRoutes.ts'
import type { CatalogueModel } from '../tasks/contract.ts'
import { serveMedia } from '../tasks/mediaRoutes.ts'
import { handleProviderCallback, wakeTask } from '../tasks/providerCallbacks.ts'
import { pushUpdates } from '../tasks/pushUpdates.ts'
import { serveTasks } from '../tasks/routes.ts'
import { createTasks } from '../tasks/tasks.ts'
import { createUploadLimits } from '../tasks/uploadLimits.ts'
import { createWorks } from '../tasks/works.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import { limitsOf, rendersHere } from './engine.ts'
import { createHttpApp } from './httpApp.ts'
import type { Running } from './leases.ts'
import { composeOperators } from './operators/composeOperators.ts'
import type { Services } from './services.ts'

export interface Listening {
  readonly server: Server
  readonly publicUrl: () => string
  /** `/healthz`, `/readyz` and `/metrics`. */
  readonly health: Router
  /** Folder of the built site. If undefined, only the API is served. */
  readonly site: string | undefined
}

/** Calls of a user on all processes, in a minute. */
const CALLS_PER_MINUTE = 1_200

/** Serves HTTP and WebSocket requests on a server that is already listening. */
export function startApi(context: Context, adapters: Adapters, services: Services, listening: Listening): Running {
  const { config, database, log, changes, leases, observability } = context
  const { server } = listening
  const accounts = createAccountServices({
    ...context,
    production: config.production,
    registrationOpen: config.registration === 'open',
    secrets: config.secrets,
    outbox: services.outbox,
    erasures: services.erasures,
    userKeys: services.userKeys,
    publicUrl: listening.publicUrl,
    grantFreeCredits: services.welcome,
  })
  const realtime = createRealtime(database, accounts.sessions.isOpen)
  observability.onCollect(() => observability.metrics.sockets.set(realtime.count()))
  const api = composeApi(context, adapters, services, { ...listening, accounts, realtime })
  server.on('request', api.callback)
  realtime.attach(server)

  const halt = new AbortController()
  const { sandbox } = adapters
  const bill = (held: AbortSignal) => sandbox!.run(localUrl(server, config.http.host), held)
  const billing = sandbox && leases.run('sandbox', halt.signal, bill)
  const creditsOf = async (userId: string) => {
    const stats = await services.subscriptionReads.stats(userId)
    return { remaining: stats.remaining_credits, total: stats.total_credits }
  }
  const onError = (error: unknown) => log.warn({ err: error }, 'realtime update not sent')
  const { tryDecrypt: decrypt } = services.userKeys
  const stopPushing = pushUpdates({ database, changes, realtime, decrypt, creditsOf, onError })
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === ENDED_SESSIONS) realtime.endSessions(ids)
    // Notifications were lost while the connection was down: clients reconnect and read the current state.
    if (name === RELISTENED) realtime.disconnectAll()
  })
  return {
    started: Promise.resolve(),
    async stop() {
      halt.abort()
      await billing
      await drain(server, realtime)
      stopPushing()
      unsubscribe()
      await api.settle()
    },
  }
}

/** Builds the services that only the API needs, and the application that serves them. */
function composeApi(
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
  const authenticate = async (ctx: HttpContext) => {
    const session = await accounts.sessions.current(ctx)
    ctx.state.sessionId = session?.sessionId
    return session?.userId
  }
  const visitCounter = createVisitCounter(pool, log)
  const pageViews = createPageViews(pool, log, visitCounter.wake)

  const api = (serve: Serve) => {
    serveAccounts(serve, accounts)
    serveSettings(serve, accounts)
    serveFactors(serve, userFactors, accounts.factors, async (ctx, userId) => {
      const account = userId === undefined ? null : await accounts.accounts.byId(userId)
      if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
      return accounts.confirmations.ownerOf(ctx, account)
    })
    serveCredits(serve, context)
    serveBilling(serve, context, adapters, services, publicUrl)
    serveVideos(serve, context, adapters, services, { realtime, ownWrites, accounts })
    const visitors = createVisitors(pool, localDayOf(config.operators.timeZone))
    serveAnalytics(serve, { pageViews, visitors, authenticate, calendar })
    operators.serve(serve)
    const demo_renderer = rendersHere(adapters.videos)
    const { registration } = config
    const { mode: payments } = config.payments
    const { supportEmail: support_email } = config.http
    const { label: video_label } = config.marks
    const prompt_optimizer = [...adapters.videos.values()].some(({ ignoresOptimizer }) => !ignoresOptimizer)
    serve(status, () => ({
      demo_renderer,
      payments,
      prompt_optimizer,
      registration,
      support_email,
      video_label,
    }))
  }
  const mailDelivered = async () => {
    await accounts.settled()
    await services.outbox.empty(3_000)
  }
  const development = [
    adapters.mailbox && mailboxRoutes(adapters.mailbox, mailDelivered),
    adapters.sandbox && sandboxRoutes(adapters.sandbox.state),
    context.advanceCalendar && clockRoutes(context.advanceCalendar),
  ]
  const eventLoop = watchEventLoop(log)
  const limit = createRateLimit(CALLS_PER_MINUTE)
  const stopExchange = exchangeCounts(limit, changes, pool)
  const app = createHttpApp({
    log,
    metrics: observability.metrics,
    watchEventLoop: eventLoop.middleware,
    publicUrl,
    trustedProxies: config.http.trustedProxies,
    identity: { authenticate, isOperator: operators.isSignedIn },
    limit,
    ownWrites,
    api,
    webhooks: webhooksOf(context, adapters, services),
    pages: [
      health,
      securityTxt({ publicUrl, supportEmail: config.http.supportEmail }),
      ...development.filter((routes) => routes !== undefined),
    ],
    site: [
      operatorGuard(operators.isSignedIn),
      ...(site ? [redirects, pageGuard(accounts.cookies), serveSite(site, publicUrl, installationFacts(config))] : []),
    ],
  })
  return {
    callback: app.callback(),
    /** Waits for work that outlives its request. */
    async settle() {
      eventLoop.stop()
      stopExchange()
      await accounts.settled()
      await pageViews.flush()
      await visitCounter.close()
    },
  }
}

const installationFacts = ({ payments, registration }: Context['config']) => ({
  plans: payments.mode === 'off' ? 'off' : 'on',
  registration,
})

function webhooksOf(context: Context, { definitions, payments }: Adapters, { webhooks }: Services): Router[] {
  const { config, clock, log, observability } = context
  const callbackSecret = config.secrets.session
  const onProviderCallback = (taskId: string, jobId: string | undefined) =>
    handleProviderCallback(context, taskId, jobId)
  const onInvalidSignature = () => {
    observability.metrics.forged.inc()
    log.warn('webhook signature invalid')
  }
  return [
    callbackRoutes({ callbackSecret, onProviderCallback }),
    definitionRoutes({
      ...{ callbackSecret, clock, onProviderCallback, onInvalidSignature },
      find: definitions.find,
      keys: createWebhookKeys(clock),
    }),
    ...(config.payments.mode === 'off' ? [] : [webhookRoutes({ payments, inbox: webhooks, onInvalidSignature })]),
  ]
}

function serveBilling(
  serve: Serve,
  { config, changes, handle, calendar }: Context,
  { payments }: Adapters,
  { credits, subscriptionReads, userKeys, webhooks }: Services,
  publicUrl: () => string,
): void {
  const { encrypt } = userKeys
  const subscriptions = createSubscriptions({
    changes,
    handle,
    payments,
    inbox: webhooks,
    credits,
    encrypt,
    publicUrl,
    calendar,
  })
  const { mode, paypal } = config.payments
  const hasPlans = mode !== 'off'
  serveSubscriptions(serve, { reads: subscriptionReads, subscriptions, hasPlans, paypalPlans: paypal?.plans })
}

function serveVideos(
  serve: Serve,
  { config, database, pool, store, handle, clock, calendar, temporaryDir }: Context,
  { catalogue, marker, media, videos }: Adapters,
  { allowance, credits, uploads, userKeys }: Services,
  { realtime, ownWrites, accounts }: { realtime: Realtime; ownWrites: OwnWrites; accounts: AccountServices },
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
    uploadLimits: createUploadLimits(database, accounts.throttle.take),
    copies: { media, marker, temporaryDir, ffmpegPath: config.video.ffmpegPath },
    labels: { pool, clock, policy: config.marks.label, recipientOf: accounts.accounts.byId },
    watermarks: async (userId) => (await allowance(userId)).watermark,
  })
}

function localUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  const name = ['127.0.0.1', '0.0.0.0', '::'].includes(host) ? 'localhost' : host
  return `http://${name}:${port}`
}
