import { CODE, type CodeEvent } from '../codes/events.ts'
import { CREDIT_ACCOUNT, type CreditAccountEvent } from '../credits/events.ts'
import { DESK_ACTION, type DeskActionEvent } from '../desk/events.ts'
import { INSTALLATION, type InstallationEvent } from '../installation/events.ts'
import { INVOICE_BOOK, type InvoiceEvent } from '../invoices/events.ts'
import type { EventStore, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { textHash } from '../kernel/eventsourcing/pure/eventHash.ts'
import { upcast } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import { OPERATOR_ROLL, type OperatorRollEvent } from '../operators/events.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '../subscriptions/events.ts'
import { VIDEO_TASK, type VideoTaskEvent } from '../tasks/events.ts'
import { TEAM, type TeamEvent } from '../teams/events.ts'
import { AccountBook, TOTALS } from './accountBook.ts'
import { type CanonicalPage, eventOf, readCanonical } from './canonicalLedger.ts'
import { DeliveryProofs } from './deliveryProofs.ts'
import { takeInstallation } from './deskProofs.ts'
import { type Deviation, Deviations, missingPlace, placeOf } from './deviation.ts'
import { GrantProofs } from './grantProofs.ts'
import { HashChains, type RememberedHeads } from './hashChain.ts'
import { HeadProofs } from './heads/headProofs.ts'
import type { SignedTree } from './heads/ledgerHead.ts'
import { InvoiceProofs } from './invoiceProofs.ts'
import { LEDGER_EVENTS, type LedgerEvent } from './ledgerEvents.ts'
import type { OperatorKeys } from './operatorKeys.ts'
import { type ComparedFiles, DeliveredFiles, type HashVideo } from './outside/deliveredFiles.ts'
import { type ListSales, ProviderSales } from './outside/providerSales.ts'
import { isOfLedger } from './readLedger.ts'
import { type AuditedModel, type ComparedModel, ReadModelProof, type RowSnapshot } from './readModelProof.ts'
import { StoredTimes } from './storedTimes.ts'
import { TeamProofs } from './teamProofs.ts'
import { checkZeros, type Zeros } from './zero/zeroProofs.ts'

/** State of a log whose positions are contiguous: its end, gaps, and the checkpoints of its readers. */
interface LogState {
  /** Position of the last event. */
  readonly head: string
  readonly gaps: readonly { readonly position: string; readonly missing: number }[]
  readonly checkpoints: readonly { readonly name: string; readonly position: string | null }[]
}

/** Optional evidence to compare the ledger with. */
export interface Evidence {
  /** Source of the events. Default: the store, read in this thread. */
  readonly pages?: () => AsyncIterable<CanonicalPage>
  readonly models?: readonly AuditedModel[]
  readonly snapshot?: RowSnapshot
  readonly remembered?: readonly RememberedHeads[]
  /** Users who have received free credits, by a source other than the log. */
  readonly welcomed?: readonly string[]
  /** Heads of the whole ledger that were kept outside the database. */
  readonly heads?: readonly SignedTree[] | undefined
  /** Faults of the heads themselves, one sentence each. */
  readonly headFaults?: readonly string[] | undefined
  /** Public keys of the operators. Without them, signatures of adjustments are not verified. */
  readonly operators?: OperatorKeys | undefined
  /** Without them, daily zeros are not verified. */
  readonly zeros?: Zeros | undefined
  readonly logState?: (() => Promise<LogState>) | undefined
  /** Without it, the files of delivered videos are not compared. */
  readonly hashVideo?: HashVideo | undefined
  /** Without it, sales are not compared with those of the payment provider. */
  readonly listSales?: ListSales | undefined
  readonly now?: () => number
  /** Called and awaited after each page of the log, with the texts that the hashes of the ledger's events cover. */
  readonly onPage?: (texts: readonly string[]) => Promise<void>
}

export type Verified = Awaited<ReturnType<typeof verify>>
/** A verification without the books and heads, which are too large for a report. */
export type Verification = Omit<Verified, 'books' | 'heads'>

/** Age at which a hold is orphaned, ms. A task waits for at most six hours and renders for at most half an hour. */
const ORPHAN_MS = 24 * 3_600_000

/** Creates the proofs that take each event of the ledger. */
function createLedgerProofs(evidence: Evidence, deviations: Deviations) {
  const chains = new HashChains(deviations, evidence.remembered ?? [])
  const times = new StoredTimes(deviations)
  const heads = new HeadProofs(deviations, evidence.heads ?? [])
  const grants = new GrantProofs(deviations, evidence.operators)
  const invoices = new InvoiceProofs(deviations)
  const teams = new TeamProofs(deviations)
  const deliveries = new DeliveryProofs(deviations)
  const delivered = evidence.hashVideo && new DeliveredFiles(evidence.hashVideo)
  const provided = evidence.listSales && new ProviderSales(evidence.listSales)
  const books = new Map<string, AccountBook>()
  const holds = new Map<string, Stored<CreditAccountEvent<'CreditsHeld'>>>()

  function take(stored: Stored<LedgerEvent>, hash: string): void {
    chains.take(stored, hash)
    heads.take(stored, hash)
    times.take(stored)
    const event = upcast(LEDGER_EVENTS, stored)
    if (isOfAccount(event)) book(event)
    else if (isOfTask(event)) {
      deliveries.takeTask(event)
      grants.takeTask(event)
      delivered?.take(event)
    } else if (isOfTeam(event)) teams.take(event)
    else if (isOfCode(event)) grants.takeCode(event)
    else if (isOfDesk(event)) grants.takeDesk(event)
    else if (isOfRoll(event)) grants.takeRoll(event)
    else if (isOfInstallation(event)) takeInstallation(event, deviations)
    else if (isOfBook(event)) invoices.takeBook(event)
    else {
      invoices.takeSubscription(event)
      grants.takeSubscription(ofItsUser(event))
      provided?.take(event)
    }
  }

  function book(event: Stored<CreditAccountEvent>): void {
    const account = books.get(event.stream) ?? new AccountBook()
    books.set(event.stream, account)
    if (event.stream !== `${CREDIT_ACCOUNT}-${event.data.userId}`)
      deviations.add('postings', event, `It names another user: ${event.data.userId}.`)
    for (const wrong of account.post(event)) deviations.add('postings', event, wrong)
    grants.takeCredit(event)
    deliveries.takeCredit(event)
    if (event.type === 'SpendersSet') teams.takeCredit(event as Stored<CreditAccountEvent<'SpendersSet'>>)
    if (event.type === 'CreditsHeld') holds.set(event.data.holdId, event)
    if (event.type === 'CreditsCaptured' || event.type === 'CreditsReleased') holds.delete(event.data.holdId)
  }

  function end(now: number) {
    chains.end()
    heads.end()
    for (const fault of evidence.headFaults ?? []) deviations.add('head', missingPlace({}), fault)
    invoices.end(now)
    teams.end(now - ORPHAN_MS)
    const salesWaiting = grants.end(now, evidence.welcomed)
    return { salesWaiting, openHolds: [...holds.values()].map((hold) => openHold(hold, now, deviations)) }
  }

  return { take, end, chains, grants, delivered, provided, books }
}

function openHold(stored: Stored<CreditAccountEvent<'CreditsHeld'>>, now: number, deviations: Deviations) {
  const { holdId, parts } = stored.data
  // The store may set `created` to any time; `at` is in the event's hash.
  const ageMs = now - Date.parse(stored.data.at)
  if (ageMs > ORPHAN_MS) deviations.add('hold', stored, `The hold for ${holdId} is open for more than a day.`)
  return { ...placeOf(stored), taskId: holdId, credits: parts.reduce((sum, { amount }) => sum + amount, 0), ageMs }
}

interface Replay {
  readonly ledger: ReturnType<typeof createLedgerProofs>
  readonly proofs: readonly ReadModelProof[]
  readonly deviations: Deviations
  readonly onPage: Evidence['onPage']
}

/** Returns what gives an event to the proofs that it concerns. There are twenty, and most events concern three. */
function sharing(proofs: readonly ReadModelProof[]) {
  const byType = new Map<string, readonly ReadModelProof[]>()
  const byNamedStream = Map.groupBy(proofs, ({ namedStream }) => namedStream)
  return (event: Stored, hash: string) => {
    const { type, stream } = event
    const concerned = byType.get(type) ?? proofs.filter((proof) => proof.knows(type))
    byType.set(type, concerned)
    for (const proof of byNamedStream.get(stream) ?? []) proof.takeNamed(event)
    for (const proof of concerned) proof.take(event, hash)
  }
}

/** Gives every event to the proofs. Returns the number of events of the ledger. */
async function replay(
  pages: ReturnType<NonNullable<Evidence['pages']>>,
  { ledger, proofs, deviations, onPage }: Replay,
): Promise<number> {
  const share = sharing(proofs)
  let events = 0
  for await (const page of pages) {
    const texts: string[] = []
    for (const [index, text] of page.texts.entries()) {
      const hash = textHash(text)
      const stored = eventOf<LedgerEvent>(page, index)
      try {
        if (isOfLedger(stored.stream)) {
          texts.push(text)
          ledger.take(stored, hash)
        }
        share(stored, hash)
      } catch (error) {
        deviations.add('postings', stored, `It cannot be read: ${(error as Error).message}.`)
      }
    }
    events += texts.length
    await onPage?.(texts)
  }
  return events
}

/** Replays the whole ledger in one pass over the log. */
export async function verify(store: EventStore, evidence: Evidence = {}) {
  const { pages = () => readCanonical(store), models = [], snapshot, now = Date.now } = evidence
  const start = performance.now()
  const startCpu = process.cpuUsage()
  const deviations = new Deviations()
  const ledger = createLedgerProofs(evidence, deviations)
  const proofs = snapshot ? models.map((model) => new ReadModelProof(model)) : []
  for (const proof of proofs) await proof.begin(snapshot!)

  const events = await replay(pages(), { ledger, proofs, deviations, onPage: evidence.onPage })
  const { salesWaiting, openHolds } = ledger.end(now())
  if (evidence.zeros) checkZeros(evidence.zeros, deviations)
  if (evidence.logState) checkLog(await evidence.logState(), deviations)
  const log = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(startCpu)
  const readModels: ComparedModel[] = []
  for (const proof of proofs) readModels.push(await proof.end(snapshot!, deviations))
  const files: ComparedFiles | null = (await ledger.delivered?.compare(store, deviations)) ?? null
  const sales = await ledger.provided?.compare(deviations)
  const all = (performance.now() - start) / 1000
  return {
    /** Whether every comparison was made and none found a deviation. */
    ok:
      deviations.count === 0 &&
      ledger.grants.adjustments.unverified === 0 &&
      !sales?.unreached &&
      readModels.every(({ incomplete }) => incomplete === undefined),
    events,
    accounts: ledger.books.size,
    streams: ledger.chains.streams,
    /** `log`: the pass over the log; `all`: including read models; `cpuOfLog`: CPU time of the pass. */
    seconds: { log, all, cpuOfLog: (user + system) / 1e6 },
    eventsPerSecond: Math.round(events / log),
    /** Resident memory of this process after the verification. */
    residentBytes: process.memoryUsage.rss(),
    /** Credits by account of the books. They sum to zero. */
    totals: totalsOf(ledger.books.values()),
    openHolds,
    /** Sales whose credits are not granted yet. */
    salesWaiting,
    readModels,
    /** Signatures of operators' adjustments. */
    adjustments: ledger.grants.adjustments,
    /** Operators' actions that moved credits or money, and were found. */
    desk: ledger.grants.desk,
    /** Null if the files of delivered videos were not compared. */
    files,
    /** Daily zeros whose signatures were verified. */
    zeros: evidence.zeros?.stored.length ?? 0,
    /** Sales that were compared with the payment provider's; null if none were. */
    sales: sales?.compared ?? null,
    /** Sales that were not compared, because their payment provider is not set up. */
    salesUnreached: sales?.unreached ?? 0,
    deviations: await located(store, deviations.found),
    deviationCount: deviations.count,
    books: ledger.books,
    heads: [...ledger.chains.heads()],
  }
}

const isOfAccount = (event: Stored<LedgerEvent>): event is Stored<CreditAccountEvent> =>
  event.stream.startsWith(CREDIT_ACCOUNT)
const isOfCode = (event: Stored<LedgerEvent>): event is Stored<CodeEvent> => event.stream.startsWith(`${CODE}-`)
const isOfDesk = (event: Stored<LedgerEvent>): event is Stored<DeskActionEvent> =>
  event.stream.startsWith(`${DESK_ACTION}-`)
const isOfRoll = (event: Stored<LedgerEvent>): event is Stored<OperatorRollEvent> =>
  event.stream.startsWith(`${OPERATOR_ROLL}-`)
const isOfInstallation = (event: Stored<LedgerEvent>): event is Stored<InstallationEvent> =>
  event.stream.startsWith(`${INSTALLATION}-`)
const isOfTask = (event: Stored<LedgerEvent>): event is Stored<VideoTaskEvent> => event.stream.startsWith(VIDEO_TASK)
const isOfTeam = (event: Stored<LedgerEvent>): event is Stored<TeamEvent> => event.stream.startsWith(`${TEAM}-`)
const isOfBook = (event: Stored<LedgerEvent>): event is Stored<InvoiceEvent> => event.stream.startsWith(INVOICE_BOOK)

function ofItsUser(event: Stored<SubscriptionEvent>): Stored<SubscriptionEvent> {
  if (event.stream !== `${SUBSCRIPTION}-${event.data.userId}`) throw new Error(`it names the user ${event.data.userId}`)
  return event
}

function totalsOf(books: Iterable<AccountBook>): Record<string, number> {
  const totals = new Map([...TOTALS, 'left', 'held'].map((name) => [name, 0]))
  const add = (name: string, amount: number) => totals.set(name, (totals.get(name) ?? 0) + amount)
  for (const book of books) {
    for (const name of TOTALS) add(name, book.total(name))
    const { left, held } = book.sums()
    add('left', left)
    add('held', held)
  }
  return Object.fromEntries(totals)
}

/** Adds id and position to deviations that are located by stream and revision alone. */
async function located(store: EventStore, found: readonly Deviation[]): Promise<Deviation[]> {
  let lookups = 100
  return await Promise.all(
    found.map(async (deviation) => {
      const { check, stream, revision, id } = deviation
      if (check !== 'read model' || stream === null || revision === null || id !== null || lookups-- <= 0)
        return deviation
      for await (const event of store.readStream(stream, revision)) {
        if (event.revision !== revision) break
        return { ...deviation, id: event.id, position: event.position }
      }
      return deviation
    }),
  )
}

/** Finds events that were deleted from the log, in any stream, and events that were truncated from its end. */
function checkLog({ head, gaps, checkpoints }: LogState, deviations: Deviations): void {
  for (const { position, missing } of gaps) {
    const events =
      missing === 1 ? 'The event at this position of the log is' : `${missing} events from this position on are`
    deviations.add('log', missingPlace({ position }), `${events} missing.`)
  }
  for (const { name, position } of checkpoints)
    if (position !== null && position > head)
      deviations.add('log', missingPlace({ position }), `${name} has read the log up to here; it ends before.`)
}
