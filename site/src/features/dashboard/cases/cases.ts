import { atom } from 'nanostores'
import { assignCase, type CaseKind, closeCase, dossier, listCases, readCase } from '#backend/cases/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { addressOf, call } from '../../../api/api.ts'
import { startDownload } from '../../../api/taskActions.ts'
import { PER_PAGE } from '../board.ts'
import { pagedSection } from '../boardSection.ts'

type Filter = Readonly<{ state: 'open' | 'closed'; kind?: CaseKind | undefined; owner?: 'me' | 'none' | undefined }>

export const $filter = atom<Filter>({ state: 'open' })
export const cases = pagedSection(PER_PAGE, (query) => call(listCases, { query: { ...query, ...$filter.get() } }))

/** Lists other cases, from the first page. */
export function filterCases(change: Partial<Filter>): void {
  $filter.set({ ...$filter.get(), ...change })
  void cases.open(1)
}

type Found = Awaited<ReturnType<typeof read>>
const read = (id: string) => call(readCase, { params: { id } })

/** A case's page; null while another page is shown. `error` is why it could not be read. */
export const $case = atom<Readonly<{ id: string; found?: Found; error?: unknown }> | null>(null)

export const caseHref = (id: string) => `#case/${id}`

/** Shows a case; undefined shows none. */
export function showCase(id: string | undefined): void {
  if (id === $case.get()?.id) return
  $case.set(id === undefined ? null : { id })
  if (id !== undefined) void refresh(id)
}

async function refresh(id: string): Promise<void> {
  const next = await read(id).then(
    (found) => ({ id, found }),
    (error: unknown) => ({ id, error }),
  )
  if ($case.get()?.id === id) $case.set(next)
}

/** Reads a case again, which an act may have ended. */
export const reread = (id: string) => Promise.all([refresh(id), cases.load()])

/** @throws ApiError */
export async function assign(id: string, mine: boolean): Promise<void> {
  await call(assignCase, { params: { id }, body: { mine } })
  await reread(id)
}

/** @throws ApiError */
export async function close(id: string, body: { outcome: 'done' | 'dismissed'; note: string }): Promise<void> {
  await call(closeCase, { params: { id }, body })
  await reread(id)
}

/** Downloads the evidence of a case. @throws ApiError step_up_required */
export async function download(id: string): Promise<void> {
  await call(operatorFactors.checkStepUp)
  startDownload(addressOf(dossier.path, { id }))
}
