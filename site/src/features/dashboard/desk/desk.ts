import { atom } from 'nanostores'
import {
  approveAction,
  askAction,
  type DeskAction,
  type DeskOrder,
  type Found,
  listActions,
  type Person,
  person,
  refuseAction,
  revealPerson,
  search,
  stopAction,
  writeNote,
} from '#backend/desk/contract.ts'
import { call } from '../../../api/api.ts'
import { ApiError } from '../../../api/apiError.ts'
import { answerWithPasskey } from '../../../api/factors/passkeys.ts'
import { once } from '../../../api/once.ts'
import { boardSection } from '../boardSection.ts'
import { showCase } from '../cases/cases.ts'

/** A person's page; null while the board is shown. `error` is why it could not be read. */
export interface Open {
  readonly id: string
  readonly person?: Person
  readonly masked?: boolean
  readonly error?: unknown
}

export const $open = atom<Open | null>(null)

/** Pages that the address can name, beside those of a person and a case. */
export const PAGES = ['operators', 'engines', 'control', 'money'] as const
/** The page that replaces the panels; null while they are shown. */
export const $page = atom<'person' | 'case' | (typeof PAGES)[number] | null>(null)

/** Finds people and what is theirs. @throws ApiError */
export const find = async (q: string): Promise<readonly Found[]> => (await call(search, { query: { q } })).results

/** Address of a person's page on the board. */
export const personHref = (id: string) => `#person/${id}`

/** Reads the open person again. @param reveal shows addresses, which is recorded  @throws ApiError */
export async function readPerson(reveal = false): Promise<void> {
  const { id, masked } = $open.get() ?? {}
  if (id === undefined) return
  // Addresses that were revealed stay until the page is left.
  const isRevealed = reveal || masked === false
  const read = await call(isRevealed ? revealPerson : person, { params: { id } })
  if ($open.get()?.id === id) $open.set({ id, person: read.person, masked: !isRevealed })
}

interface Unsigned {
  readonly id?: string
  readonly amount?: number
  readonly text: string
  readonly options: { readonly challenge: string }
}
type Signed = Pick<DeskOrder, 'id' | 'amount' | 'credential'>
/** What both an order and the text that is signed say. */
const SIGNED = ['kind', 'subject', 'amount', 'reason'] as const

/**
 * Sends an order, and signs it if the server asks for that: the passkey signs the hash of a text, which must say what was
 * ordered here.
 */
async function signed<T>(order: Partial<DeskOrder>, send: (more: Signed) => Promise<T>): Promise<T> {
  try {
    return await send({})
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'signature_required') throw error
    const { id, amount, text, options } = error.body as Unsigned
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
    const challenge = btoa(String.fromCharCode(...hash)).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '')
    const said = JSON.parse(text) as Record<string, unknown>
    const isOrdered = SIGNED.every((name) => order[name] === undefined || said[name] === order[name])
    if (challenge !== options.challenge || !isOrdered) throw new ApiError(0, 'passkey_refused')
    return send({ ...(id && { id }), ...(amount && { amount }), credential: await answerWithPasskey(options) })
  }
}

/** Orders an action about the open person, and shows what became of it. @throws ApiError */
export async function order(body: DeskOrder): Promise<DeskAction> {
  const { action } = await signed(body, (more) => call(askAction, { body: { ...body, ...more } }))
  await Promise.all([readPerson(), waiting.load()])
  return action
}

/** Actions that wait for the approval of another operator. */
export const waiting = boardSection(async () => {
  const data = await call(listActions, { query: { page: 1, per_page: 100, status: 'waiting' } })
  return { ...data, data }
})

/** Approves or refuses an action. @throws ApiError */
export async function decide(action: DeskAction, decision: 'approve' | 'refuse'): Promise<DeskAction> {
  const { id, kind, subject, reason, amount } = action
  const params = { id }
  const { action: decided } =
    decision === 'refuse'
      ? await call(refuseAction, { params })
      : await signed({ kind, subject, reason, amount: amount ?? undefined }, ({ credential }) =>
          call(approveAction, { params, body: { credential } }),
        )
  await waiting.load()
  return decided
}

/** Stops an action that waits for its time. @throws ApiError */
export async function stop(id: string): Promise<void> {
  await call(stopAction, { params: { id } })
  await readPerson()
}

/** @throws ApiError */
export async function note(text: string): Promise<void> {
  const { id = '' } = $open.get() ?? {}
  await call(writeNote, { params: { id }, body: { text } })
  await readPerson()
}

function show(): void {
  const [, of, about] = /^#(case|person)\/([\w-]{1,64})$/.exec(location.hash) ?? []
  const id = of === 'person' ? about : undefined
  showCase(of === 'case' ? about : undefined)
  $page.set((of as 'case' | 'person' | undefined) ?? PAGES.find((page) => location.hash === `#${page}`) ?? null)
  if (id === $open.get()?.id) return
  $open.set(id === undefined ? null : { id })
  readPerson().catch((error: unknown) => {
    if ($open.get()?.id === id && id !== undefined) $open.set({ id, error })
  })
}

/** Shows the page that the address names, now and when it changes. Runs once per page. */
export const followAddress = once(async () => {
  addEventListener('hashchange', show)
  show()
})
