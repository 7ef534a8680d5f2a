import type { Context as HttpContext } from 'koa'
import { PROJECTIONS } from '#projections/all.ts'
import { replayParked } from '#projections/engine/replayParked.ts'
import { SALES_FILE } from '#projections/subscriptions/readMoney.ts'
import { COSTS_FILE } from '#projections/tasks/readMade.ts'
import { FAILURES_FILE } from '#projections/tasks/readTaskHealth.ts'
import { serveFactors } from '../../accounts/factors/factorRoutes.ts'
import type { Passkeys } from '../../accounts/factors/passkeys.ts'
import { keyFor } from '../../accounts/keys/seal.ts'
import type { UserKeys } from '../../accounts/keys/userKeys.ts'
import { listUsers, readEmails, readRegistrations, USERS_FILE } from '../../accounts/readUsers.ts'
import { listTrouble } from '../../accounts/security/securityLog.ts'
import { createTraffic } from '../../analytics/traffic.ts'
import { TRAFFIC_FILES } from '../../analytics/trafficFiles.ts'
import { readZeros, ZEROS_FILE } from '../../audit/zero/startZeros.ts'
import { zeroOnBoard } from '../../audit/zero/zeroOnBoard.ts'
import { backupOnBoard } from '../../backups/backupOnBoard.ts'
import { serveCases } from '../../cases/routes.ts'
import { serveDesk } from '../../desk/routes.ts'
import type { Control } from '../../installation/control.ts'
import { serveControl } from '../../installation/routes.ts'
import { type DayRange, localDayOf } from '../../kernel/days.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import { redact } from '../../kernel/observability/log.ts'
import type { Outbox } from '../../kernel/outbox/outbox.ts'
import { readOpenAlerts } from '../../operators/alerts/operatorAlerts.ts'
import { serveBackup } from '../../operators/backupRoutes.ts'
import { serveBoard } from '../../operators/boardRoutes.ts'
import { serveBusiness } from '../../operators/businessRoutes.ts'
import { type CodesOnBoard, serveCodesOnBoard } from '../../operators/codeRoutes.ts'
import { operatorFactors } from '../../operators/contract.ts'
import { serveEngines } from '../../operators/engineRoutes.ts'
import { serveExports } from '../../operators/exportRoutes.ts'
import { serveGraphs } from '../../operators/graphRoutes.ts'
import { type KeysOnBoard, serveKeysOnBoard } from '../../operators/keyRoutes.ts'
import { serveMasked } from '../../operators/maskAddresses.ts'
import { serveMoney } from '../../operators/moneyRoutes.ts'
import { serveNow } from '../../operators/nowRoutes.ts'
import { ACTIONS_FILE, createOperatorActions, type RecordedAction } from '../../operators/operatorActions.ts'
import { serveOperator } from '../../operators/operatorRoutes.ts'
import { createOperatorSessions } from '../../operators/operatorSessions.ts'
import { serveOutbox } from '../../operators/outboxRoutes.ts'
import { serveParked } from '../../operators/parkedRoutes.ts'
import type { BoardTime } from '../../operators/period.ts'
import { alertsOfRefusedFiles } from '../../operators/refusedFiles.ts'
import { createSignInLimit, type Throttle } from '../../operators/signInLimit.ts'
import { serveTriage } from '../../triage/routes.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import { rendersHere } from '../video/capacity.ts'
import { createEngineSetup } from '../video/engineSetup.ts'
import { openGraphSetup } from '../video/videoProviders.ts'
import { nowOnBoard } from './nowOnBoard.ts'
import type { OpenDesk } from './openDesk.ts'
import { createOperatorFactors } from './operatorFactors.ts'

const MONEY_FILES = { sales: SALES_FILE, costs: COSTS_FILE, zeros: ZEROS_FILE }
const FILES = { ...TRAFFIC_FILES, users: USERS_FILE, failures: FAILURES_FILE, actions: ACTIONS_FILE, ...MONEY_FILES }

/** Days whose comparison the board shows. */
const SHOWN_ZEROS = 7

/** Services of users' accounts that the operator's account uses, too. */
interface Shared {
  readonly throttle: Throttle
  readonly userKeys: Pick<UserKeys, 'encrypt' | 'tryDecrypt'>
  readonly passkeys: Passkeys
  readonly keys: Omit<KeysOnBoard, 'emailsOf'>
  readonly messages: Pick<Outbox, 'undelivered' | 'resendAny'>
  readonly codes: CodesOnBoard
  readonly control: Control
  readonly desk: OpenDesk
}

/** Composes the operator's routes. Each context provides the figures from its own tables. */
export function composeOperators(
  context: Context,
  adapters: Adapters,
  publicUrl: () => string,
  { throttle, userKeys, passkeys, keys, codes, control, desk, messages }: Shared,
) {
  const { videos, definitions, catalogue, payments, templates, engines } = adapters
  const { config, pool, database, store, changes, clock, calendar } = context
  const { timeZone, password } = config.operators
  const dayOf = localDayOf(timeZone)
  const time: BoardTime = { timeZone, clock, calendar, today: () => dayOf(calendar()) }
  const actions = createOperatorActions(pool)
  const sessions = createOperatorSessions(pool, changes, {
    secure: publicUrl().startsWith('https://'),
    secret: config.secrets.session,
    password,
    deviceKey: keyFor('operator devices', config.secrets.encryption),
  })
  const users = {
    registrations: (today: string, period: DayRange) => readRegistrations(pool, today, period),
    list: (page: number, perPage: number) => listUsers(pool, page, perPage),
  }
  return {
    isSignedIn: sessions.isSignedIn,
    serve(serve: Serve): void {
      const limit = createSignInLimit({ throttle, networkOf: networkAddress, deviceOf: sessions.deviceOf })
      const factors = createOperatorFactors({ context, userKeys, passkeys, sessions, actions, limit, throttle })
      const { secondStep, requireStepUp, isSteppedUp } = factors
      serveFactors(serve, operatorFactors, factors.factors, async (ctx) => factors.ownerOf(ctx))
      const board = serveMasked(serve, isSteppedUp)
      serveOperator(board, { credentials: config.operators, sessions, actions, limit, secondStep })
      const failures = (page: number, perPage: number) => listTrouble(pool, page, perPage)
      serveBoard(board, { traffic: createTraffic(pool, () => new URL(publicUrl()).host), users, failures, time })
      const refused = () => new Map([...definitions.faults(), ...catalogue.faults(), ...templates.faults()])
      const alerts = async () => [...(await alertsOfRefusedFiles(refused())), ...(await readOpenAlerts(pool))]
      serveBusiness(board, { database, time, alerts, hasCost: !rendersHere(videos) })
      const unprefixed = payments.offers.find(({ name }) => name === 'paypal' || name === 'sandbox')?.name
      const zeros = async () => (await readZeros(pool, SHOWN_ZEROS)).map(zeroOnBoard)
      serveMoney(board, { database, time, unprefixed, hasCost: !rendersHere(videos), zeros })
      const replay = (signal: AbortSignal) => replayParked(PROJECTIONS, { store, database, signal })
      serveGraphs(serve, { setup: () => openGraphSetup(context, videos, engines), actions })
      serveEngines(serve, { setup: createEngineSetup(context, adapters), actions, requireStepUp })
      const copies = () => backupOnBoard({ configured: config.backup !== undefined, pool, clock, redact })
      serveBackup(board, copies)
      serveNow(board, nowOnBoard(context, alerts, copies))
      serveParked(board, { database, actions, replay, redact })
      const emailsOf = (ids: readonly string[]) => readEmails(pool, ids)
      serveKeysOnBoard(board, { keys: { ...keys, emailsOf }, actions, requireStepUp })
      serveOutbox(board, { messages, actions, emailsOf })
      serveCodesOnBoard(board, { codes, actions, requireStepUp })
      const record = (ctx: HttpContext, action: RecordedAction, detail: string) =>
        actions.record({ action, detail, ip: ctx.ip })
      const shortened = serveMasked(serve, async () => false)
      const { openCases, openTriage, ...acts } = desk
      const by = { operator: config.operators.username, requireStepUp, record }
      serveDesk(board, shortened, { ...acts, ...by })
      serveCases(board, { ...openCases, ...by })
      serveTriage(board, { ...openTriage, ...by })
      const pausable = () => ({
        models: catalogue.offered().map(({ id, names }) => ({ id, names })),
        tills: payments.offers.map(({ name }) => name),
      })
      serveControl(serve, { ...by, control, calendar, pausable })
      serveExports(board, { pool, files: FILES, actions, requireStepUp, time })
    },
  }
}
