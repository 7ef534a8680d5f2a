import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { NO_FILTER } from './filter.ts'
import { $films, $filter, loadFilms, loadMore, markFilms, sortFilms } from './library.ts'
import { $selection, deleteFilms } from './selection.ts'

const PER_PAGE = 60
const FIRST = ['0', '1', '2', '3', '4']

/** A library on a server, newest first. It holds answers back until they are released. */
function serverWith(count: number) {
  let tasks = Array.from({ length: count }, (_, n) => ({ id: `${n}` }) as Task)
  const held: (() => void)[] = []
  const state = { holds: false }
  vi.stubGlobal('fetch', (address: string, { body }: RequestInit) => {
    const page = Number(new URL(address, 'http://site').searchParams.get('page'))
    const deleted: readonly string[] = body ? JSON.parse(String(body)).ids : []
    tasks = tasks.filter(({ id }) => !deleted.includes(id))
    const list = { tasks: tasks.slice((page - 1) * PER_PAGE, page * PER_PAGE), total: tasks.length }
    const answer = () => Response.json(body ? { deleted, failed: [] } : list)
    const response = answer()
    if (!state.holds) return Promise.resolve(response)
    return new Promise<Response>((resolve) => held.push(() => resolve(response)))
  })
  const release = () => {
    state.holds = false
    for (const send of held.splice(0)) send()
  }
  return Object.assign(state, { release, left: () => tasks.map(({ id }) => id) })
}
const shown = () => $films.get().tasks.map(({ id }) => id)

/** Loads pages as the grid does, until it shows as many videos as there are. */
async function scrollDown(): Promise<void> {
  for (let page = 0; page < 5; page++) await loadMore()
}

beforeEach(() => $films.set({ status: 'loading', tasks: [], total: 0 }))

describe('a deletion', () => {
  it.each([
    ['is asked for during it', () => [deleteFilms(FIRST), loadMore()]],
    ['is on its way', () => [loadMore(), deleteFilms(FIRST)]],
  ])('hides no other video if the next page %s', async (_, begin) => {
    const server = serverWith(150)
    await loadFilms()
    server.holds = true
    const work = begin()
    server.release()
    await Promise.all(work)
    await scrollDown()
    expect(shown()).toEqual(server.left())
  })

  it('of all videos that are shown loads the others, because there is no grid then to ask for them', async () => {
    const server = serverWith(150)
    await loadFilms()
    await deleteFilms(shown())
    expect(shown()).toEqual(server.left().slice(0, PER_PAGE))
    expect($films.get().total).toBe(90)
  })

  it('is not undone by a list that was read before', async () => {
    const server = serverWith(10)
    await loadFilms()
    server.holds = true
    const load = loadFilms()
    const removal = deleteFilms(FIRST)
    server.release()
    await Promise.all([load, removal])
    await expect.poll(() => $films.get().status).toBe('ready')
    expect(shown()).toEqual(server.left())
  })
})

describe('a mark that the filter leaves out', () => {
  beforeEach(() => {
    $filter.set({ ...NO_FILTER, favourites: true })
    return () => $filter.set(NO_FILTER)
  })

  it('hides no other video when the next ones load', async () => {
    const server = serverWith(150)
    await loadFilms()
    await markFilms(FIRST, { favourite: false })
    expect(shown()).toHaveLength(PER_PAGE)
    await scrollDown()
    expect(shown()).toEqual(server.left())
  })

  it('takes all selected videos off the page', async () => {
    const server = serverWith(150)
    await loadFilms()
    await sortFilms(shown(), { favourite: false })
    expect(shown()).toEqual(server.left().slice(0, PER_PAGE))
  })
})

describe('a list that is read again', () => {
  it('has as many pages as before, without the videos that are gone', async () => {
    const server = serverWith(150)
    await loadFilms()
    await loadMore()
    await fetch('/api/v1/videos/delete', { method: 'POST', body: JSON.stringify({ ids: FIRST }) })
    await loadFilms(2)
    expect(shown()).toEqual(server.left().slice(0, 2 * PER_PAGE))
  })
})

describe('a selection', () => {
  it('loses the videos that a search hides, so that no action includes them', async () => {
    serverWith(4)
    await loadFilms()
    $selection.set(new Set(['1', '3']))
    serverWith(2)
    await loadFilms()
    expect([...$selection.get()!]).toEqual(['1'])
    $selection.set(null)
  })
})
