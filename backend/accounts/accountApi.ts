import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { AccountServices } from './accountServices.ts'
import { serveFactors } from './factors/factorRoutes.ts'
import { serveIdentities } from './identities/identityRoutes.ts'
import { createMailChoice } from './notices/mailChoice.ts'
import { serveNotices } from './notices/noticeRoutes.ts'
import type { PushSender } from './notices/pushSender.port.ts'
import { createPushSubscriptions } from './notices/pushSubscriptions.ts'
import { serveAccounts } from './routes.ts'
import { userFactors } from './secondFactors.contract.ts'
import { serveSettings } from './settingsRoutes.ts'
import { type StartImages, serveStart } from './start/startRoutes.ts'

interface AccountApiDeps {
  readonly database: Database
  readonly push: PushSender
  readonly images: StartImages
}

/** Serves accounts, their settings and their second factors. */
export function serveAccountApi(serve: Serve, accounts: AccountServices, { database, push, images }: AccountApiDeps) {
  serveAccounts(serve, accounts)
  serveStart(serve, accounts, images)
  serveSettings(serve, accounts)
  serveIdentities(serve, accounts)
  const subscriptions = createPushSubscriptions(database)
  serveNotices(serve, { mailChoice: createMailChoice(database), subscriptions, sender: push })
  serveFactors(serve, userFactors, accounts.factors, async (ctx, userId) => {
    const account = userId === undefined ? null : await accounts.accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    return accounts.confirmations.ownerOf(ctx, account)
  })
}
