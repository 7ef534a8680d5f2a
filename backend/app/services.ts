import { currentSubscriptions } from '#projections/subscriptions/currentSubscription.ts'
import { findRecipient } from '../accounts/accounts.ts'
import { createErasureList } from '../accounts/erasureList.ts'
import { createErasures, ERASURES } from '../accounts/erasures.ts'
import { CODES, formerKeys, mailKey } from '../accounts/keys/keyRing.ts'
import { keyFor } from '../accounts/keys/seal.ts'
import { createUserKeys, teamIdOf } from '../accounts/keys/userKeys.ts'
import { createOutbox as createMailOutbox } from '../accounts/mails/outbox.ts'
import { accountSuspended, isSuspended, SUSPENSIONS } from '../accounts/suspensions.ts'
import { anonymisePageViews } from '../analytics/visitors.ts'
import { createApiKeys } from '../apiKeys/apiKeys.ts'
import { createKeyDoor } from '../apiKeys/keyDoor.ts'
import { createClients } from '../apiKeys/oauth/clients.ts'
import { createConnections } from '../apiKeys/oauth/connections.ts'
import { createCases } from '../cases/cases.ts'
import { createCodes } from '../codes/codes.ts'
import { createCredits } from '../credits/credits.ts'
import { createControl } from '../installation/control.ts'
import { eraseIdempotencyKeys } from '../kernel/http/idempotency.ts'
import { eraseSocketTokens } from '../kernel/http/socketTokens.ts'
import { createOutbox } from '../kernel/outbox/outbox.ts'
import { cacheRows } from '../kernel/postgres/cacheRows.ts'
import { RELISTENED } from '../kernel/postgres/changes.ts'
import { eraseMailbox } from '../providers/mail/mailbox.ts'
import { currentOf } from '../subscriptions/agreements.rules.ts'
import { subscription } from '../subscriptions/subscription.decider.ts'
import { createSubscriptionReads } from '../subscriptions/subscriptionReads.ts'
import { createWebhookInbox } from '../subscriptions/webhooks/webhookInbox.ts'
import { createVideoDownloads } from '../tasks/downloads/videoDownloads.ts'
import { createVisibleCopies } from '../tasks/downloads/visibleCopies.ts'
import { createVisibleLabels } from '../tasks/downloads/visibleLabels.ts'
import { createMediaRemovals } from '../tasks/mediaRemovals.ts'
import { createImageUploads } from '../tasks/uploads/imageUploads.ts'
import { createTeamRows } from '../teams/teamRows.ts'
import { createTeams, type TeamDeps } from '../teams/teams.ts'
import { createWebhookEndpoints } from '../webhooks/webhookEndpoints.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import { openHeadFiles } from './openPlace.ts'
import { createWelcome } from './welcome.ts'

/** Deletes a user's rows in each module that stores some. */
export const ERASE_ROWS = [eraseIdempotencyKeys, eraseSocketTokens, eraseMailbox, anonymisePageViews]

type TeamParts = Pick<TeamDeps, 'isErased' | 'isSuspended' | 'setSpenders'> & {
  readonly allowance: (userId: string) => Promise<{ team: boolean }>
}

function openTeams({ config, database, handle, changes, calendar }: Context, { allowance, ...parts }: TeamParts) {
  const seatsOf = async (userId: string) =>
    config.teamSeats > 1 && (await allowance(userId)).team ? config.teamSeats : 0
  /** Returns whether a plan, which may be suspended, has a team. */
  const hasPlan = async (userId: string) =>
    config.payments.tills.length === 0 ||
    currentOf((await handle.read(subscription, userId)).state)?.tier === 'ultimate'
  return {
    teams: createTeams({ ...{ handle, database, changes, calendar, teamIdOf, seatsOf, hasPlan }, ...parts }),
    teamRows: createTeamRows(database),
    seatsOf,
  }
}

function openUserKeys({ database, config, changes, log }: Context) {
  const userKeys = createUserKeys(database, config.secrets.encryption, (userId, error) =>
    log.error({ err: error, userId }, 'user key cannot be opened'),
  )
  changes.subscribe(({ name, ids }) => {
    if (name === ERASURES) for (const id of ids) userKeys.forget(id)
    else if (name === RELISTENED) userKeys.forget()
  })
  return userKeys
}

export type Services = ReturnType<typeof createServices>

/** Creates the domain services that the API and the workflows share. */
export function createServices(context: Context, { marker, media, documents }: Adapters) {
  const { config, database, pool, store, handle, clock, calendar, changes, temporaryDir } = context
  const userKeys = openUserKeys(context)
  const erasures = createErasures({ database, now: clock, destroyKey: userKeys.destroy, eraseRows: ERASE_ROWS })
  const { tills, monthlyCredits } = config.payments
  const subscriptionReads = createSubscriptionReads(database, calendar, { hasPlans: tills.length > 0, monthlyCredits })
  const credits = createCredits(handle, calendar)
  const masterKey = config.secrets.encryption
  const codes = createCodes({
    ...{ handle, changes, calendar, credits },
    keys: async () => [keyFor(CODES, masterKey), ...(await formerKeys(database, masterKey, CODES))],
  })
  /** Returns the limits of the user's plan. */
  const planAllowance = cacheRows(changes, currentSubscriptions.name, subscriptionReads.allowance)
  const control = createControl({ handle, changes, pool })
  const allowance = async (userId: string) => control.limited(await planAllowance(userId))
  const isErased = cacheRows(changes, ERASURES, erasures.isRequested)
  const suspended = cacheRows(changes, SUSPENSIONS, (userId: string) => isSuspended(database, userId))
  const { teams, teamRows, seatsOf } = openTeams(context, {
    ...{ allowance, isErased, isSuspended: suspended, setSpenders: credits.setSpenders },
  })
  const apiKeys = createApiKeys(database, pool, clock, credits.spentBy, { payerIn: teams.payerIn, read: teamRows.read })
  const labels = createVisibleLabels({ pool, clock, policy: config.marks.label, recipientOf: findRecipient(database) })
  const messages = createOutbox(pool, clock)
  return {
    control,
    /** @throws Rejection account_suspended */
    async assertActive(userId: string): Promise<void> {
      if (await suspended(userId)) throw accountSuspended()
    },
    credits,
    cases: createCases({ handle, changes, calendar }),
    codes,
    apiKeys,
    messages,
    webhookEndpoints: createWebhookEndpoints({ database, pool }, clock, userKeys, messages),
    keyDoor: createKeyDoor(apiKeys, clock),
    clients: createClients({ pool, clock, documents }),
    connections: createConnections(database, clock),
    allowance,
    labels,
    downloads: createVideoDownloads(pool, clock),
    copies: createVisibleCopies({
      ...{ media, marker, temporaryDir, labels },
      ffmpegPath: config.video.ffmpegPath,
      watermarks: async (userId) => (await allowance(userId)).watermark,
    }),
    welcome: createWelcome(credits, monthlyCredits),
    userKeys,
    outbox: createMailOutbox(database, messages, mailKey(masterKey), calendar, config.registration === 'open'),
    erasures: {
      ...erasures,
      ...createErasureList({
        ...{ database, store, request: erasures.request },
        openFiles: () => openHeadFiles(config.headsTo, temporaryDir),
      }),
    },
    webhooks: createWebhookInbox(pool),
    removals: createMediaRemovals(pool),
    uploads: createImageUploads(database, media, temporaryDir),
    /** Returns whether the account was deleted. */
    isErased,
    teams,
    teamRows,
    seatsOf,
    ...{ payerIn: teams.payerIn, teamOf: teams.teamOf },
    subscriptionReads,
  }
}
