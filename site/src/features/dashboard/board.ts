import { atom, computed } from 'nanostores'
import {
  apiKeys,
  backup,
  type CodeOrder,
  endApiKey,
  hourly,
  issueCodes,
  codes as listCodes,
  engines as listEngines,
  graphs as listGraphs,
  live,
  margin,
  now as nowContract,
  operatorActions,
  overview,
  pageRanking,
  parkedEvents,
  replayParkedEvents,
  resendMessage,
  securityFailures,
  sources as sourcesContract,
  type TABLES,
  tableFile,
  taskHealth,
  undelivered,
  userList,
  userOverview,
  voidCode,
  weekly,
} from '#backend/operators/contract.ts'
import { addressOf, call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { once } from '../../api/once.ts'
import { localHref } from '../../i18n/client.ts'
import { ignoreSecondClicks } from '../../ui/secondClicks.ts'
import { type BoardSection, boardSection, pagedSection } from './boardSection.ts'
import { dayOf } from './figures.ts'
import { own } from './operators/operators.ts'
import { type Choice, queryOf } from './period/boardPeriod.ts'

export const PER_PAGE = 10
const LIVE_EVERY_MS = 12_000
/** Interval at which the other sections are read again. */
const REFRESH_EVERY_MS = 60_000

export const $choice = atom<Choice>({ last: 7 })
export const $rankingOf = atom<'today' | 'period'>('today')

export const today = boardSection(() => call(overview))
/** Visits of the last seven days, regardless of the selected period. */
export const week = boardSection(() => call(weekly))
export const hours = boardSection(() => call(hourly))
export const people = boardSection(() => call(userOverview))
export const users = pagedSection(PER_PAGE, (query) => call(userList, { query }))

/** The operator's time zone as reported by the server, or UTC until it is known. */
export const $zone = computed(today.$section, ({ data }) => data?.time_zone ?? 'UTC')
/** Returns the current date in the operator's time zone, as `YYYY-MM-DD`. */
export const todaysDate = (): string => dayOf(Date.now(), $zone.get())
/** Returns the query of the chosen period. */
export const ofChoice = () => queryOf($choice.get(), todaysDate())

/** Daily visits of a selected period other than the last seven days. */
const days = boardSection(() => call(weekly, { query: ofChoice() }))
const isWeek = (choice: Choice) => 'last' in choice && choice.last === 7
/** Falls back to the last seven days until the period has loaded, so that an open data table stays open. */
export const $trend = computed([$choice, week.$section, days.$section], (choice, ofWeek, ofPeriod) =>
  isWeek(choice) ? ofWeek : { ...ofPeriod, data: ofPeriod.data ?? ofWeek.data },
)
export const ranking = boardSection(() => call(pageRanking, { query: ofChoice() }))
export const tasks = boardSection(() => call(taskHealth, { query: ofChoice() }))
export const money = boardSection(() => call(margin, { query: ofChoice() }))
export const now = boardSection(() => call(nowContract))
export const sources = boardSection(() => call(sourcesContract, { query: ofChoice() }))
export const visitors = boardSection(() => call(live))
export const engines = boardSection(() => call(listEngines))
export const graphs = boardSection(() => call(listGraphs))
export const copies = boardSection(() => call(backup))
export const actions = pagedSection(PER_PAGE, (query) => call(operatorActions, { query }))
export const parked = pagedSection(PER_PAGE, (query) => call(parkedEvents, { query }))
export const keys = pagedSection(PER_PAGE, (query) => call(apiKeys, { query }))
export const outbox = pagedSection(PER_PAGE, (query) => call(undelivered, { query }))
export const codes = pagedSection(PER_PAGE, (query) => call(listCodes, { query }))
export const failures = pagedSection(PER_PAGE, (query) => call(securityFailures, { query }))

/** True if this is production and the operator has no second factor. */
export const $factorMissing = atom(false)

/** Sections whose failures are reported at the top of the page. Other sections report theirs in their own panel. */
const CORE: readonly BoardSection<unknown>[] = [today, week, hours, people, users]

/** True if the server shortened addresses, until the operator proves the second factor again. */
export const $masked = computed(
  [today, users, now, tasks, actions, failures, keys, outbox].map(({ $section }) => $section),
  (...sections) => sections.some(({ masked }) => masked),
)

/** True while all sections are loading. */
export const $refreshing = atom(true)
/** True while the browser is being redirected to the login page. */
export const $away = atom(false)
export const $failed = computed(
  CORE.map(({ $section }) => $section),
  (...sections) => sections.some(({ error }) => error !== undefined),
)
/** True if every core section failed to load and has no data. */
export const $empty = computed(
  CORE.map(({ $section }) => $section),
  (...sections) => sections.every(({ status, data }) => status === 'failed' && data === null),
)

function leaveIfSignedOut(): void {
  const { error } = today.$section.get()
  if (!(error instanceof ApiError && error.status === 401)) return
  $away.set(true)
  location.replace(localHref('/admin/dashboard/login'))
}

/** Sections that other folders of the board define. */
const LATER: BoardSection<unknown>[] = []
export const addSections = (...sections: readonly BoardSection<unknown>[]) => LATER.push(...sections)

const ofPeriod = () => [...(isWeek($choice.get()) ? [] : [days]), ranking, sources, tasks, money]

const otherSections = () => [
  ...[own, now, ...ofPeriod(), visitors, engines, graphs, copies, actions, failures, keys, codes, outbox, parked],
  ...LATER,
]

/** Reloads all sections in parallel. Redirects to the login page if the session has ended. */
export async function refreshBoard(): Promise<void> {
  $refreshing.set(true)
  const core = CORE.map(({ load }) => load())
  const others = otherSections().map(({ load }) => load())
  await core[0]
  leaveIfSignedOut()
  await Promise.all([...core, ...others])
  $refreshing.set(false)
}

export function choosePeriod(choice: Choice): void {
  $choice.set(choice)
  $rankingOf.set('period')
  for (const { load } of ofPeriod()) void load()
}

/** Reloads the section that the trend chart shows. */
export const loadTrend = (): Promise<void> => (isWeek($choice.get()) ? week : days).load()

/** Replays the parked events and reloads what changed. Returns the numbers of events. @throws ApiError */
export async function replayParked() {
  const result = await call(replayParkedEvents)
  await Promise.all([parked.open(1), actions.load()])
  return result
}

/** Ends a user's API key and reloads what changed. @throws ApiError */
export async function endKey(id: string): Promise<void> {
  await call(endApiKey, { params: { id } })
  await Promise.all([keys.load(), actions.load()])
}

/** Sends a message again and reloads what changed. @throws ApiError */
export async function sendMessageAgain(id: string): Promise<void> {
  await call(resendMessage, { params: { id } })
  await Promise.all([outbox.load(), actions.load()])
}

/** Issues codes, reloads what changed, and returns them. @throws ApiError */
export async function issue(order: CodeOrder): Promise<readonly string[]> {
  const { codes: issued } = await call(issueCodes, { body: order })
  await Promise.all([codes.open(1), actions.load()])
  return issued
}

/** Voids a code or its batch, and reloads what changed. Returns the number of codes. @throws ApiError */
export async function endCode(id: string, batch: boolean): Promise<number> {
  const { voided } = await call(voidCode, { params: { id }, body: { batch } })
  await Promise.all([codes.load(), actions.load()])
  return voided
}

/** Reads the sections again without showing it, unless someone reads another page or writes in a dialog. */
async function refreshQuietly(): Promise<void> {
  const isBusy = $refreshing.get() || $failed.get() || document.querySelector('dialog[open]') !== null
  if (document.visibilityState === 'hidden' || isBusy) return
  await Promise.all([...CORE, ...otherSections()].map(({ load }) => load(true)))
  leaveIfSignedOut()
}

async function pollVisitors(): Promise<void> {
  if (document.visibilityState === 'hidden' || $refreshing.get()) return
  await visitors.load()
  const { error } = visitors.$section.get()
  // The session has ended; `refreshBoard` redirects to the login page.
  if (error instanceof ApiError && error.status === 401) await refreshBoard()
}

/** Loads the dashboard and polls the current visitors while the page is visible. Runs once per page. */
export const openBoard = once(async () => {
  ignoreSecondClicks()
  setInterval(() => void pollVisitors(), LIVE_EVERY_MS)
  setInterval(() => void refreshQuietly(), REFRESH_EVERY_MS)
  document.addEventListener('visibilitychange', () => void pollVisitors())
  await refreshBoard()
})

/** Returns the URL of a table's CSV export. */
export function csvAddress(table: (typeof TABLES)[number], withPeriod = false): string {
  return addressOf(tableFile.path, { table: `${table}.csv` }, withPeriod ? ofChoice() : {})
}
