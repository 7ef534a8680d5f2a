import * as z from 'zod/mini'
import { type Task, WorksQuery } from '#backend/tasks/contract.ts'

export interface Filter {
  readonly text: string
  readonly type: Task['task_type'] | ''
  readonly model: string
  /** Latest days that the videos are from; 0 for all. */
  readonly days: number
  readonly favourites: boolean
  /** Name of a folder; empty for all. */
  readonly folder: string
  /** `team`: what the user's teams share. */
  readonly library: z.output<typeof WorksQuery.shape.library>
}

const NONE = { text: '', type: '', model: '', days: 0, favourites: false, folder: '' } as const
export const NO_FILTER: Filter = { ...NONE, library: 'mine' }

/** Numbers of days that can be chosen. */
export const DAYS: readonly number[] = [1, 7, 30]

/** What removes each filter, but stays in the library. */
export const CLEARED: Partial<Filter> = NONE

export const isFiltered = (filter: Filter): boolean =>
  Object.entries(NONE).some(([name, none]) => filter[name as keyof Filter] !== none)

/** Returns the parameters of a filter, except its days, as the API names them. */
export const filterQuery = ({ text, type, model, favourites, folder, library }: Filter) => ({
  ...(text ? { q: text } : {}),
  ...(type ? { task_type: type } : {}),
  ...(model ? { model } : {}),
  ...(favourites ? { favourites: 'true' as const } : {}),
  ...(folder ? { folder } : {}),
  ...(library === 'mine' ? {} : { library }),
})

/** Returns the query of the page's address for a filter, with its question mark; empty if it filters nothing. */
export function filterSearch(filter: Filter): string {
  const { days } = filter
  const query = new URLSearchParams({ ...filterQuery(filter), ...(days ? { days: String(days) } : {}) })
  return query.size > 0 ? `?${query}` : ''
}

/** Reads the filter from the query of the page's address. Ignores what the API would refuse. */
export function readFilter(search: string): Filter {
  const query = new URLSearchParams(search)
  const { q, task_type, model, favourites, folder, library } = WorksQuery.shape
  const read = <S extends z.ZodMiniType>(name: string, schema: S) =>
    z.safeParse(schema, query.get(name) ?? undefined).data
  const days = Number(query.get('days'))
  return {
    text: read('q', q) ?? '',
    type: read('task_type', task_type) ?? '',
    model: read('model', model) ?? '',
    days: DAYS.includes(days) ? days : 0,
    favourites: read('favourites', favourites) !== undefined,
    folder: read('folder', folder) ?? '',
    library: read('library', library) ?? NO_FILTER.library,
  }
}
