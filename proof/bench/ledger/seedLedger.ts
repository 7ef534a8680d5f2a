import type pg from 'pg'
import { chainStart, derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { AN_ATTEMPT, anOrder } from '#backend/tasks/testing/anOrder.ts'

const ORDER = anOrder({ encryptedPrompt: 'p'.repeat(200) })
const FILE = { size: 1_000_000, durationMs: 5_880, width: 1366, height: 768, sha256: '0'.repeat(64) }

type Row = { stream: string; revision: number; id: string; type: string; data: object; meta: object }

/** Writes hash-chained events of any streams to a list. `idOf` names the nth. */
function chains(idOf: (n: number) => string) {
  const rows: Row[] = []
  const heads = new Map<string, Row>()
  const append = (stream: string, type: string, data: object, actor = 'system') => {
    const head = heads.get(stream)
    const id = idOf(rows.length)
    const at = new Date(Date.UTC(2026, 0, 1) + rows.length * 1_000).toISOString()
    const meta = { correlationId: id, actor, schema: 1, previousHash: head ? eventHash(head) : chainStart(stream) }
    const row = { stream, revision: head ? head.revision + 1 : 0, id, type, data: { ...data, at }, meta }
    heads.set(stream, row)
    rows.push(row)
  }
  return { rows, append }
}

/** Packs that an account buys, where it does. */
const PACKS = [0, 1]
const PACK = { pack: 'small', amountCents: 900, currency: 'USD', credits: 30 }
const saleOf = (user: number, n: number) => `SALE-${user}-${n}`

type Append = ReturnType<typeof chains>['append']

function orderGift(
  append: Append,
  { actionId, ...gift }: { actionId: string; userId: string; amount: number; reason: string },
): void {
  const order = { operator: 'bench', kind: 'grant', subject: gift.userId, ...gift }
  append(`deskAction-${actionId}`, 'ActionAsked', { actionId, ...order }, 'operator:bench')
}

/** Appends the packs that an account buys, and the code that it redeems. */
function buy(append: Append, user: number): void {
  const userId = derivedId('user', user)
  const grant = (lotId: string, source: string, amount: number, reference: string) =>
    append(`creditAccount-${userId}`, 'CreditLotGranted', { userId, lotId, source, amount, expiresAt: null, reference })
  for (const n of PACKS) {
    const order = { userId, agreementId: `ORDER-${user}-${n}`, ...PACK }
    const saleId = saleOf(user, n)
    append(`subscription-${userId}`, 'PackRequested', { ...order, provider: 'paypal' })
    append(`subscription-${userId}`, 'PackPaid', { ...order, saleId, soldAt: '2026-01-01T00:00:00.000Z' })
    grant(`sale-${saleId}`, 'pack', PACK.credits, saleId)
  }
  const codeId = derivedId('code', user)
  const terms = { credits: 10, uses: 1, audience: 'all', expiresAt: null, label: 'bench' }
  append(
    `code-${codeId}`,
    'CodeIssued',
    { codeId, ...terms, batchId: codeId, hint: 'ABCD', issuedBy: 'bench' },
    'operator:bench',
  )
  append(`code-${codeId}`, 'CodeRedeemed', { codeId, userId, credits: terms.credits })
  grant(`code-${codeId}-${userId}`, 'code', terms.credits, codeId)
}

/** Appends the team of an account with its only member, and lets the member spend. Returns how a video that the member orders is paid. */
function formTeam(append: Append, user: number) {
  const ownerId = derivedId('user', user)
  const [teamId, memberId, invitationId] = [
    derivedId('team', ownerId),
    derivedId('member', user),
    derivedId('invitation', user),
  ]
  const perMonth = 10_000
  const appendTeam = (type: string, data: object, by: string) =>
    append(`team-${teamId}`, type, { teamId, ...data }, `user:${by}`)
  appendTeam('TeamCreated', { ownerId }, ownerId)
  appendTeam('MemberInvited', { invitationId, perMonth, expiresAt: '2026-02-01T00:00:00.000Z' }, ownerId)
  appendTeam('MemberJoined', { userId: memberId, invitationId, perMonth }, memberId)
  const spenders = [{ id: memberId, perMonth }]
  append(`creditAccount-${ownerId}`, 'SpendersSet', { userId: ownerId, teamId, revision: 2, spenders })
  return { hold: { spentBy: memberId }, order: { userId: memberId, payerId: ownerId, teamId } }
}

/**
 * Returns the events of an account and its tasks: credits, then videos, every fourth of which fails. `all`: an operator's action
 * orders the credits, the account buys packs and redeems a code, and a member of its team orders every fifth video.
 */
function accountEvents(user: number, videos: number, kinds: Accounts['kinds']): Row[] {
  const userId = derivedId('user', user)
  const { rows, append: appendTo } = chains((n) => derivedId('bench', user, n))
  const append = (type: string, data: object, actor?: string) =>
    appendTo(`creditAccount-${userId}`, type, { userId, ...data }, actor)
  append('CreditLotGranted', { lotId: derivedId('free', user), source: 'free', amount: 60, expiresAt: null })
  const gift = derivedId('gift', user)
  const given = { lotId: gift, source: 'adjustment', amount: 30 * videos, expiresAt: null, reason: 'bench' }
  if (kinds === 'all') {
    orderGift(appendTo, { actionId: gift, userId, amount: given.amount, reason: given.reason })
    append('CreditLotGranted', { ...given, action: gift }, 'operator:bench')
    appendTo(`deskAction-${gift}`, 'ActionDone', { actionId: gift })
    buy(appendTo, user)
  } else append('CreditLotGranted', given, 'operator:bench')
  const team = kinds === 'all' ? formTeam(appendTo, user) : undefined
  for (let n = 0; n < videos; n++) {
    const payment = n % 5 === 4 ? team : undefined
    const author = payment?.order.userId ?? userId
    const holdId = derivedId('video', user, n)
    const parts = [{ lotId: gift, amount: 30 }]
    const appendTask = (type: string, data: object = {}) =>
      appendTo(`videoTask-${holdId}`, type, { taskId: holdId, ...data })
    append('CreditsHeld', { holdId, parts, ...payment?.hold }, `user:${author}`)
    appendTask('VideoTaskSubmitted', { ...ORDER, taskId: holdId, userId, ...payment?.order })
    appendTask('VideoRenderRequested', AN_ATTEMPT)
    appendTask('VideoRenderAccepted', { jobId: `job-${n}` })
    appendTask('VideoRenderStarted')
    appendTask('VideoDownloadStarted')
    if (n % 4 === 3) appendTask('VideoTaskFailed', { userId: author, code: 'provider_failed', detail: '', jobId: null })
    else appendTask('VideoTaskSucceeded', { userId: author, file: FILE })
    if (n % 4 === 3) append('CreditsReleased', { holdId, reason: 'not delivered', parts, renewed: null })
    else append('CreditsCaptured', { holdId })
  }
  return rows
}

/** Issues the invoices of an account's packs. The book has no gaps, so the first account is number 0. */
function invoice(append: Append, user: number): void {
  for (const n of PACKS) {
    const saleId = saleOf(user, n)
    const number = `K-${String(user * PACKS.length + n + 1).padStart(6, '0')}`
    const { amountCents, currency } = PACK
    const about = { documentId: derivedId('sale', saleId), userId: derivedId('user', user), saleId }
    append('invoiceBook-main', 'InvoiceIssued', { number, ...about, amountCents, taxCents: 0, currency, sealed: 'v2.' })
  }
}

interface Accounts {
  /** Number of the first account. */
  readonly first: number
  readonly accounts: number
  readonly videos: number
  /** Accounts whose events are interleaved as if they were used concurrently. */
  readonly together?: number
  /** What the events are about: videos alone by default; `all`: also packs with their invoices, codes, operators' actions and teams. */
  readonly kinds?: 'videos' | 'all'
}

/**
 * Appends the hash-chained events of accounts to the event table with INSERT, which is faster than sending the commands.
 * Returns the position of the last event. @param last position after which no event is written
 */
export async function seedLedger(
  pool: pg.Pool,
  { first, accounts, videos, together = 250, kinds = 'videos' }: Accounts,
  last = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { rows } = await pool.query('select coalesce(max(position), 0)::int as position from event')
  let { position } = rows[0] as { position: number }
  const book = chains((n) => derivedId('invoice', n))
  for (let begin = first; begin < first + accounts && position < last; begin += together) {
    const count = Math.min(together, first + accounts - begin)
    const streams = Array.from({ length: count }, (_, n) => accountEvents(begin + n, videos, kinds))
    const events = streams[0]!.flatMap((_, revision) => streams.map((each) => each[revision]!))
    const invoiced = book.rows.length
    if (kinds === 'all') for (let n = begin; n < begin + count; n++) invoice(book.append, n)
    events.push(...book.rows.slice(invoiced))
    const batch = events.slice(0, last - position).map((row) => ({ ...row, position: ++position }))
    await pool.query(
      `insert into event select position, stream, revision, id, type, data, meta, now()
       from jsonb_to_recordset($1::jsonb) as e(position bigint, stream text, revision bigint, id uuid, type text, data jsonb, meta jsonb)`,
      [JSON.stringify(batch)],
    )
  }
  await pool.query('analyze event')
  return position
}
