import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readCredits } from '#projections/credits/readCredits.ts'
import { readScheduled } from '#projections/desk/readDeskActions.ts'
import { readRosters } from '#projections/teams/readTeams.ts'
import { type AccountServices, createAccountServices } from '../accounts/accountServices.ts'
import { createPushSubscriptions } from '../accounts/notices/pushSubscriptions.ts'
import { createVideoNotices } from '../accounts/notices/videoNotices.ts'
import { ENDED_SESSIONS } from '../accounts/sessions/sessions.ts'
import { endKeysAfter } from '../apiKeys/apiKeys.ts'
import { stopByPerson } from '../desk/desk.ts'
import { drain } from '../kernel/http/drain.ts'
import { createRealtime, type Realtime } from '../kernel/http/realtime.ts'
import { RELISTENED } from '../kernel/postgres/changes.ts'
import type { Running } from '../kernel/postgres/leased.ts'
import { prepareLauncher } from '../kernel/processes/runProgram.ts'
import { createOperatorAlerts } from '../operators/alerts/operatorAlerts.ts'
import { watchSockets } from '../operators/alerts/watchSockets.ts'
import { pushUpdates } from '../tasks/pushUpdates.ts'
import { tellWhenDone } from '../tasks/tellWhenDone.ts'
import { isIn } from '../teams/teams.ts'
import { turnOffAfter } from '../webhooks/webhookEndpoints.ts'
import type { Adapters } from './adapters.ts'
import { composeApi, type Listening } from './api/composeApi.ts'
import type { Context } from './context.ts'
import { startAlerts } from './operators/startAlerts.ts'
import type { Services } from './services.ts'

/** Builds the API. Returns a function that serves HTTP and WebSocket requests with it, on a server that listens by then. */
export function prepareApi(
  context: Context,
  adapters: Adapters,
  services: Services,
  listening: Listening,
): () => Running {
  const { config, database, log, observability, pool } = context
  context.changes.hear()
  // The first upload needs it.
  prepareLauncher()
  const accounts = createAccountServices({
    ...context,
    production: config.production,
    registrationOpen: config.registration === 'open',
    secrets: config.secrets,
    outbox: services.outbox,
    erasures: services.erasures,
    userKeys: services.userKeys,
    publicUrl: listening.publicUrl,
    identityProviders: adapters.identityProviders,
    signUpDomains: config.signIn.domains,
    grantFreeCredits: services.welcome,
    assertMayRegister: services.control.assertMayRegister,
    stopOthers: async (userId, after) => {
      await stopByPerson(context, userId, await readScheduled(database, userId))
      await services.teams.endAfter(userId, after)
    },
    endPrograms: async (tx, userId, after) => {
      await endKeysAfter(tx, userId, after, new Date(context.clock()))
      await turnOffAfter(tx, userId, after)
    },
  })
  const realtime = createRealtime(
    database,
    accounts.sessions.isOpen,
    watchSockets(createOperatorAlerts(pool, log), (err) => log.warn({ err }, 'operator alert not raised')),
  )
  observability.onCollect(() => observability.metrics.sockets.set(realtime.count()))
  const api = composeApi(context, adapters, services, { ...listening, accounts, realtime })
  return () => startApi(context, adapters, services, listening, { accounts, realtime, api })
}

interface Prepared {
  readonly accounts: AccountServices
  readonly realtime: Realtime
  readonly api: ReturnType<typeof composeApi>
}

function startApi(
  context: Context,
  adapters: Adapters,
  services: Services,
  listening: Listening,
  { accounts, realtime, api }: Prepared,
): Running {
  const { config, database, store, log, changes, leases } = context
  const { server } = listening
  server.on('request', api.callback)
  realtime.attach(server, api.admitSocket)

  const halt = new AbortController()
  const { sandbox } = adapters
  const billing =
    sandbox && leases.run('sandbox', halt.signal, (held) => sandbox.run(localUrl(server, config.http.host), held))
  const creditsOf = async (userId: string) => {
    const { remaining, used } = await readCredits(database, userId, new Date(context.calendar()).toISOString())
    return { remaining, total: remaining + used }
  }
  const onError = (error: unknown) => log.warn({ err: error }, 'realtime update not sent')
  const { tryDecrypt: decrypt } = services.userKeys
  const notices = startNotices(context, services, listening)
  const alerts = startAlerts(context, adapters, listening.publicUrl)
  const stopPushing = pushUpdates({
    ...{ database, store, changes, realtime, decrypt, creditsOf, onError },
    teamsOf: (ownerIds) => readRosters(database, ownerIds),
    isInTeam: async (teamId, userId) => {
      const team = await services.teams.find(teamId)
      return team !== undefined && isIn(team, userId)
    },
  })
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === ENDED_SESSIONS) {
      accounts.sessions.forget(ids)
      realtime.endSessions(ids)
    }
    // Notifications were lost while the connection was down: clients reconnect and read the current state.
    if (name === RELISTENED) {
      accounts.sessions.forget()
      realtime.disconnectAll()
    }
  })
  return {
    started: Promise.resolve(),
    async stop() {
      halt.abort()
      await billing
      await drain(server, realtime)
      stopPushing()
      await notices.stop()
      await alerts.stop()
      unsubscribe()
      await api.settle()
    },
  }
}

/** Interval of the search for users who are away, ms. */
const AWAY_INTERVAL_MS = 60_000

/** Tells users about videos that are done. */
function startNotices(context: Context, { messages, outbox }: Services, { publicUrl }: Listening) {
  const { database, changes, clock, log } = context
  const onError = (error: unknown) => log.warn({ err: error }, 'notice not sent')
  const subscriptions = createPushSubscriptions(database)
  const notices = createVideoNotices({ database, subscriptions, messages, outbox, publicUrl, clock })
  const stopTelling = tellWhenDone({ database, changes, clock, tell: notices.tell, onError })
  let mailing = Promise.resolve()
  const timer = setInterval(() => {
    mailing = notices.mailAway().catch(onError)
  }, AWAY_INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all([mailing, stopTelling()])
    },
  }
}

function localUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  const name = ['127.0.0.1', '0.0.0.0', '::'].includes(host) ? 'localhost' : host
  return `http://${name}:${port}`
}
