import { atom } from 'nanostores'
import {
  askAction,
  type DeskAction,
  type DeskOrder,
  type Found,
  type Person,
  person,
  revealPerson,
  search,
  stopAction,
  writeNote,
} from '#backend/desk/contract.ts'
import { call } from '../../../api/api.ts'
import { once } from '../../../api/once.ts'
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
export const PAGES = ['engines', 'control', 'money'] as const
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

/** Orders an action about the open person, and shows what became of it. @throws ApiError */
export async function order(body: DeskOrder): Promise<DeskAction> {
  const { action } = await call(askAction, { body })
  await readPerson()
  return action
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
