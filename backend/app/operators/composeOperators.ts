import type { Context as HttpContext } from 'koa'
import { PROJECTIONS } from '#projections/all.ts'
import { replayParked } from '#projections/engine/replayParked.ts'
import { SALES_FILE } from '#projections/subscriptions/readMoney.ts'
import { COSTS_FILE } from '#projections/tasks/readMade.ts'
import { FAILURES_FILE } from '#projections/tasks/readTaskHealth.ts'
import { serveFactors } from '../../accounts/factors/factorRoutes.ts'
import type { Mailer } from '../../accounts/mailer.port.ts'
import { composeMail } from '../../accounts/mails/composeMail.ts'
import { listUsers, readEmails, readRegistrations, USERS_FILE } from '../../accounts/readUsers.ts'
import { listTrouble } from '../../accounts/security/securityLog.ts'
import { assertStrong } from '../../accounts/weakness/assertStrong.ts'
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
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
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
import { ACTIONS_FILE, type RecordedAction } from '../../operators/operatorActions.ts'
import { serveOperator } from '../../operators/operatorRoutes.ts'
import { serveOutbox } from '../../operators/outboxRoutes.ts'
import { serveParked } from '../../operators/parkedRoutes.ts'
import type { BoardTime } from '../../operators/period.ts'
import { alertsOfRefusedFiles } from '../../operators/refusedFiles.ts'
import { type RollRoutes, serveRoll } from '../../operators/roll/rollRoutes.ts'
import { serveTriage } from '../../triage/routes.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import { rendersHere } from '../video/capacity.ts'
import { createEngineSetup } from '../video/engineSetup.ts'
import { openGraphSetup } from '../video/videoProviders.ts'
import { nowOnBoard } from './nowOnBoard.ts'
import type { OpenDesk } from './openDesk.ts'
import type { OpenOperators } from './openOperators.ts'

const MONEY_FILES = { sales: SALES_FILE, costs: COSTS_FILE, zeros: ZEROS_FILE }
const FILES = { ...TRAFFIC_FILES, users: USERS_FILE, failures: FAILURES_FILE, actions: ACTIONS_FILE, ...MONEY_FILES }

/** Days whose comparison the board shows. */
const SHOWN_ZEROS = 7

/** Services of users' accounts that the operator's account uses, too. */
interface Shared {
  readonly opened: OpenOperators
  readonly keys: Omit<KeysOnBoard, 'emailsOf'>
  readonly messages: Pick<Outbox, 'undelivered' | 'resendAny'>
  readonly codes: CodesOnBoard
  readonly control: Control
  readonly desk: OpenDesk
}

/** Mails a link to an operator. Returns it where that fails, for the inviting operator to pass on. */
const mailBy =
  (mailer: Mailer, publicUrl: () => string): RollRoutes['mail'] =>
  async (kind, { name: fullName, email, language, by = '' }, token) => {
    const prefix = language === 'zh' ? '/zh' : ''
    const page = kind === 'operatorInvited' ? 'invitation' : 'reset'
    const link = `${publicUrl()}${prefix}/admin/dashboard/${page}#token=${token}`
    const mail = composeMail(kind, { email, fullName, language }, link, { by })
    const sent = await mailer.send({ ...mail, id: uuid7(), userId: null }).catch(() => 'failed' as const)
    return sent === 'sent' ? null : link
  }

/** Composes the routes of operators. Each context provides the figures from its own tables. */
export function composeOperators(
  context: Context,
  adapters: Adapters,
  publicUrl: () => string,
  { opened, keys, codes, control, desk, messages }: Shared,
) {
  const { videos, definitions, catalogue, mailer, payments, templates, engines } = adapters
  const { config, pool, database, store, clock, calendar } = context
  const { timeZone } = config.operators
  const dayOf = localDayOf(timeZone)
  const time: BoardTime = { timeZone, clock, calendar, today: () => dayOf(calendar()) }
  const { actions, sessions, factors, operators, requireStepUp, isSteppedUp } = opened
  const users = {
    registrations: (today: string, period: DayRange) => readRegistrations(pool, today, period),
    list: (page: number, perPage: number) => listUsers(pool, page, perPage),
  }
  return {
    async operatorOf(ctx: HttpContext) {
      const operator = await sessions.current(ctx)
      return operator && (await operators.isPresent(operator.id)) ? operator : undefined
    },
    serve(serve: Serve): void {
      serveFactors(serve, operatorFactors, factors, opened.ownerOf)
      // Viewers see addresses only by an act that is recorded.
      const mayShow = async (ctx: HttpContext) =>
        (await sessions.current(ctx))?.role !== 'viewer' && (await isSteppedUp(ctx))
      const board = serveMasked(serve, mayShow)
      serveOperator(board, opened)
      const mail = mailBy(mailer, publicUrl)
      const strong = (word: string) => assertStrong(word, { email: '', username: '' }, 'password')
      serveRoll(board, { ...opened, mail, assertStrong: strong })
      const failures = (page: number, perPage: number) => listTrouble(pool, page, perPage)
      serveBoard(board, { traffic: createTraffic(pool, () => new URL(publicUrl()).host), users, failures, time })
      const refused = () => new Map([...definitions.faults(), ...catalogue.faults(), ...templates.faults()])
      const alerts = async () => [...(await alertsOfRefusedFiles(refused())), ...(await readOpenAlerts(pool))]
      serveBusiness(board, { database, time, alerts, hasCost: !rendersHere(videos) })
      const unprefixed = payments.offers.find(({ name }) => name === 'paypal' || name === 'sandbox')?.name
      const zeros = async () => (await readZeros(pool, SHOWN_ZEROS)).map(zeroOnBoard)
      serveMoney(board, { database, time, unprefixed, hasCost: !rendersHere(videos), zeros })
      const replay = (signal: AbortSignal) => replayParked(PROJECTIONS, { store, database, signal })
      serveGraphs(serve, { setup: () => openGraphSetup(context, videos, engines), actions, requireStepUp })
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
        actions.record({ action, detail, ctx })
      const shortened = serveMasked(serve, async () => false)
      const { openCases, openTriage, ...acts } = desk
      const by = { requireStepUp, record }
      serveDesk(board, shortened, serve, { ...acts, ...by })
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
