import type { IncomingMessage, Server } from 'node:http'
import path from 'node:path'
import type Router from '@koa/router'
import type { Context as HttpContext } from 'koa'
import { serveAccountApi } from '../../accounts/accountApi.ts'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { createInvitations } from '../../accounts/invitations.ts'
import { createKeyMails } from '../../accounts/mails/keyMails.ts'
import { pageGuard } from '../../accounts/sessions/pageGuard.ts'
import type { StartImages } from '../../accounts/start/startRoutes.ts'
import { createTeamAccounts } from '../../accounts/teamAccounts.ts'
import { createAnalyticsApi } from '../../analytics/analyticsApi.ts'
import { serveConsent } from '../../apiKeys/oauth/consentRoutes.ts'
import { oauthRoutes } from '../../apiKeys/oauth/oauthRoutes.ts'
import { serveFoundKeys, serveKeys } from '../../apiKeys/routes.ts'
import { serveReceipts } from '../../audit/receipts/receiptRoutes.ts'
import { createReceipts } from '../../audit/receipts/receipts.ts'
import { ownKey } from '../../audit/signingKey.ts'
import { serveCodes } from '../../codes/routes.ts'
import { serveCredits } from '../../credits/routes.ts'
import { serveNotices } from '../../installation/routes.ts'
import { serveInvoices } from '../../invoices/routes.ts'
import type { AccessControl, Serve } from '../../kernel/http/endpoint.ts'
import type { RefuseForeign } from '../../kernel/http/ownOrigin.ts'
import { createOwnWrites } from '../../kernel/http/ownWrites.ts'
import type { Realtime } from '../../kernel/http/realtime.ts'
import { redirects } from '../../kernel/http/redirects.ts'
import { createPageRenderer } from '../../kernel/http/site/renderedPages.ts'
import { serveSite } from '../../kernel/http/site/staticSite.ts'
import { securityTxt } from '../../kernel/securityTxt.ts'
import { operatorGuard } from '../../operators/operatorRoutes.ts'
import { SANDBOX_PLANS } from '../../providers/payments/sandbox/sandboxState.ts'
import { serveSubscriptions } from '../../subscriptions/routes.ts'
import { createTaskApi } from '../../tasks/taskApi.ts'
import { createUploadLimits } from '../../tasks/uploads/uploadLimits.ts'
import { JOIN_PAGE } from '../../teams/contract.ts'
import { serveTeams, type TeamRoutes } from '../../teams/teamRoutes.ts'
import * as webhookContract from '../../webhooks/contract.ts'
import { serveWebhooks, type WebhookRoutes } from '../../webhooks/webhookRoutes.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import { createHttpApp } from '../httpApp.ts'
import { openInvoicing } from '../invoicing.ts'
import { codesOnBoard } from '../operators/codesOnBoard.ts'
import { composeOperators } from '../operators/composeOperators.ts'
import { openDesk } from '../operators/openDesk.ts'
import { openOperators } from '../operators/openOperators.ts'
import { openWebhookChannel } from '../outbox.ts'
import type { Services } from '../services.ts'
import { VERSION } from '../version.ts'
import { estimatesOf } from '../video/capacity.ts'
import { createGuards } from './createGuards.ts'
import { developmentPages } from './developmentPages.ts'
import { installationFacts, serveStatus } from './installationFacts.ts'
import { webhooksOf } from './webhooksOf.ts'
import { wellKnown } from './wellKnown.ts'

export interface Listening {
  readonly server: Server
  readonly publicUrl: () => string
  /** `/healthz`, `/readyz` and `/metrics`, unless another port serves them. */
  readonly health: readonly Router[]
  /** Folder of the built site. If undefined, only the API is served. */
  readonly site: string | undefined
}

interface Surroundings extends Listening {
  readonly accounts: AccountServices
  readonly realtime: Realtime
}

const authenticateIn =
  ({ sessions }: AccountServices) =>
  async (ctx: HttpContext) => {
    const session = await sessions.current(ctx)
    ctx.state.sessionId = session?.sessionId
    return session?.userId
  }

/** Creates the list of keys on the operator's board, and the end of one, of which its owner gets a mail. */
const keysOnBoard = (
  { apiKeys, keyDoor }: Services,
  { securityLog }: AccountServices,
  mails: ReturnType<typeof createKeyMails>,
) => ({
  list: apiKeys.listAll,
  async end(id: string) {
    const key = await apiKeys.endAny(id)
    if (!key) return undefined
    keyDoor.forget()
    await securityLog.recordOfOperator(key.user_id, 'api_key_ended_by_operator')
    await mails.stopped(key.user_id, key)
    return key
  },
})

const webhookRoutes = (
  context: Context,
  adapters: Adapters,
  services: Services,
  around: Surroundings,
): WebhookRoutes => ({
  endpoints: services.webhookEndpoints,
  outbox: services.messages,
  channel: openWebhookChannel(context, adapters, services, around.publicUrl),
  guard: adapters.guard,
  clock: context.clock,
  take: around.accounts.throttle.take,
})

const teamRoutes = (
  { config, database, calendar }: Context,
  { teams, teamRows, seatsOf, credits, outbox }: Services,
  services: AccountServices,
): TeamRoutes => {
  const { accounts, throttle } = services
  const invitations = createInvitations({ ...services.invitable, calendar })
  return {
    ...{ database, calendar, teams, rows: teamRows, seatsOf, spentBy: credits.spentBy, throttle: throttle.take },
    person: accounts.byId,
    accounts: createTeamAccounts({
      ...{ database, outbox, invitations, services, page: JOIN_PAGE },
      production: config.production,
    }),
  }
}

/** Processes that do not share `DATA_DIR` and have no `AUDIT_KEY_FILE` issue receipts without a signature. */
const openReceipts = ({ config, ...context }: Context, publicUrl: () => string) =>
  createReceipts({ ...context, publicUrl, key: () => ownKey(config.auditKeyFile, config.dataDir) })

/** Creates the calls about videos. */
function openTasks(
  context: Context,
  { catalogue, media, videos }: Adapters,
  services: Services,
  { accounts, publicUrl, realtime }: Surroundings,
  note: ReturnType<typeof createOwnWrites>['note'],
  uploadLimits: ReturnType<typeof createUploadLimits>,
) {
  const { config } = context
  const { copies, labels, userKeys } = services
  return createTaskApi({
    ...{ ...context, ...services, ...userKeys, ...estimatesOf(videos), decrypt: userKeys.tryDecrypt },
    ...{ videos, catalogue, note, realtime, uploadLimits, publicUrl },
    files: { media, copies, labels, temporaryDir: context.temporaryDir, ffmpegPath: config.video.ffmpegPath },
    userById: accounts.accounts.byId,
    throttle: accounts.throttle.take,
    assertMayMake: services.control.assertMayMake,
    async openReport({ taskId, userId }, reason) {
      // Each reason opens the case of a film once, so that a case that was dismissed stays so.
      await services.cases.open({ kind: 'report', subject: taskId, userId, source: reason, detail: reason })
    },
    secret: config.secrets.session,
    supportEmail: config.http.supportEmail,
    version: VERSION,
  })
}

/** Creates the calls of operators. */
function openBoard(
  context: Context,
  adapters: Adapters,
  services: Services,
  { accounts, publicUrl }: Surroundings,
  mails: ReturnType<typeof createKeyMails>,
) {
  const shared = { throttle: accounts.throttle, userKeys: services.userKeys, passkeys: accounts.factors.passkeys }
  const opened = openOperators(context, publicUrl, shared)
  return composeOperators(context, adapters, publicUrl, {
    opened,
    keys: keysOnBoard(services, accounts, mails),
    messages: services.messages,
    codes: codesOnBoard(context, services),
    control: services.control,
    desk: openDesk(context, adapters, services, accounts, opened),
  })
}

/** Creates the calls of every context. */
function composeContexts(context: Context, adapters: Adapters, services: Services, around: Surroundings) {
  const { config, database, pool } = context
  const { accounts, publicUrl } = around
  const { payments } = adapters
  const { uploads, userKeys } = services
  const authenticate = authenticateIn(accounts)
  const ownWrites = createOwnWrites(context.changes, pool)
  const uploadLimits = createUploadLimits(database, accounts.throttle.take)
  const facts = () => installationFacts(config, adapters)
  const { tills, paypal } = config.payments

  const keyMails = createKeyMails(database, services.outbox, publicUrl)
  const operators = openBoard(context, adapters, services, around, keyMails)
  const analytics = createAnalyticsApi({ ...context, authenticate, timeZone: config.operators.timeZone })
  const tasks = openTasks(context, adapters, services, around, ownWrites.note, uploadLimits)
  const images: StartImages = {
    receive: (ctx, network) => uploads.receiveFrom(ctx, network, uploadLimits),
    store: uploads.store,
  }
  const keys = { ...accounts, apiKeys: services.apiKeys, door: services.keyDoor, tellOwner: keyMails.revoked }
  const oauth = { ...services, ...keys, publicUrl, throttle: accounts.throttle.take }
  const webhooks = webhookRoutes(context, adapters, services, around)
  const serve = (serve: Serve) => {
    serveAccountApi(serve, accounts, { database, push: adapters.push, images })
    serveKeys(serve, keys)
    serveConsent(serve, oauth)
    serveWebhooks(serve, webhookContract.page, webhooks)
    serveCredits(serve, {
      ...{ database, filmsOf: tasks.filmsOf, nameOf: async (id) => (await accounts.accounts.byId(id))?.fullName },
      ownerOf: async (teamId, userId) => (await services.teams.readIn(userId, teamId)).ownerId,
    })
    serveTeams(serve, teamRoutes(context, services, accounts))
    serveReceipts(serve, { receipts: openReceipts(context, publicUrl), throttle: accounts.throttle.take })
    serveCodes(serve, { ...services, throttle: accounts.throttle, stats: services.subscriptionReads.stats })
    serveSubscriptions(serve, {
      ...{
        ...context,
        ...services,
        payments,
        pausedTills: services.control.pausedTills,
        inbox: services.webhooks,
        encrypt: userKeys.encrypt,
        publicUrl,
        facts,
      },
      reads: services.subscriptionReads,
      hasPlans: tills.length > 0,
      paypalPlans: tills.includes('sandbox') ? SANDBOX_PLANS : paypal?.plans,
    })
    serveInvoices(serve, openInvoicing(context, services, publicUrl))
    tasks.serve(serve)
    adapters.templates.serve(serve)
    analytics.serve(serve)
    operators.serve(serve)
    serveStatus(serve, config, adapters)
    serveNotices(serve, services.control)
  }
  return {
    serve,
    ...programsOf(tasks, keys, oauth, webhooks),
    authenticate,
    ownWrites,
    facts,
    sharePages: tasks.pages,
    operators,
    settle: analytics.settle,
  }
}

/** Creates the routes for programs. */
const programsOf = (
  tasks: ReturnType<typeof createTaskApi>,
  keys: Parameters<typeof serveFoundKeys>[1],
  oauth: Parameters<typeof oauthRoutes>[0],
  webhooks: ReturnType<typeof webhookRoutes>,
) => ({
  programs(serve: Serve) {
    tasks.servePrograms(serve)
    serveFoundKeys(serve, keys)
    serveWebhooks(serve, webhookContract.programs, webhooks)
  },
  programRouters: (access: AccessControl, refuseForeign: RefuseForeign) => [
    ...tasks.assistants(access, refuseForeign),
    oauthRoutes(oauth),
  ],
})

/** Builds the services that only the API needs, and the application that serves them. */
export function composeApi(context: Context, adapters: Adapters, services: Services, around: Surroundings) {
  const { config, log, observability } = context
  const { publicUrl, health, site, accounts } = around
  const contexts = composeContexts(context, adapters, services, around)
  const { authenticate, ownWrites } = contexts
  const { operatorOf } = contexts.operators
  const pageSettings = async () => {
    const notice = await services.control.notice()
    return { publicUrl: publicUrl(), facts: { ...contexts.facts(), notice: notice ? 'on' : 'off' }, notice }
  }
  const guards = createGuards(context, services, accounts, publicUrl)
  const app = createHttpApp({
    log,
    metrics: observability.metrics,
    ...guards.middleware,
    publicUrl,
    trustedProxies: config.http.trustedProxies,
    identity: {
      authenticate,
      // One gate for every road that takes keys.
      authenticateKey: async (ctx) => {
        const key = await services.keyDoor.authenticate(ctx)
        if (key) await services.assertActive(key.userId)
        return key
      },
      operatorOf,
      assertActive: services.assertActive,
    },
    ownWrites,
    api: contexts.serve,
    programs: contexts.programs,
    programRouters: (access) => contexts.programRouters(access, guards.middleware.refuseForeign),
    webhooks: webhooksOf(context, adapters, services),
    pages: [
      ...health,
      wellKnown(context, publicUrl),
      securityTxt({ publicUrl, supportEmail: config.http.supportEmail }),
      ...(site ? [contexts.sharePages(createPageRenderer(path.join(site, 'server/entry.mjs'), pageSettings))] : []),
      ...developmentPages(context, adapters, services, accounts),
    ],
    site: [
      operatorGuard(operatorOf),
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
      await contexts.settle()
    },
  }
}
