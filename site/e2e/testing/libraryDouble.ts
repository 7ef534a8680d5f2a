import type { Page, Route } from 'playwright'
import type { Task, VideoMark } from '#backend/tasks/contract.ts'
import { openDouble, picture, taskOf, type WorkspaceState } from './workspaceDouble.ts'

export interface LibraryState {
  readonly server: WorkspaceState
  marks: VideoMark[]
  /** Queries of the lists that were asked for. */
  readonly queries: URLSearchParams[]
  /** Bodies by path. */
  readonly sent: Map<string, { ids: string[] }>
}

const RATIOS = [null, '9:16', '1:1', null, '4:3']
export const filmOf = (n: number): Task =>
  taskOf(`f${n}`, {
    prompt: `${n % 7 === 0 ? 'A fox in the snow' : 'A lighthouse by the sea'} ${n}`,
    aspect_ratio: RATIOS[n % 5]!,
  })

/** Replaces the API of the library with a double that has `count` videos. */
export async function openLibraryDouble(
  page: Page,
  { url, language, count }: { url: string; language: 'en' | 'zh'; count: number },
): Promise<LibraryState> {
  const server = await openDouble(page, url, language)
  server.tasks = Array.from({ length: count }, (_, n) => filmOf(n))
  const state: LibraryState = { server, marks: [], queries: [], sent: new Map() }
  const poster = picture(480, 270)
  const answers: Readonly<Record<string, (route: Route) => unknown>> = {
    'GET /videos/my-works': (route) => {
      const query = new URL(route.request().url()).searchParams
      state.queries.push(query)
      return route.fulfill({ json: listed(state, query) })
    },
    'GET /videos/marks': (route) => route.fulfill({ json: { marks: state.marks } }),
    'POST /videos/marks': (route) => {
      const { ids, ...change } = taken(state, 'marks', route)
      const others = state.marks.filter(({ id }) => !ids.includes(id))
      const changed = ids.map((id) => ({
        ...{ id, favourite: false, folder: null, ...state.marks.find((mark) => mark.id === id) },
        ...change,
      }))
      state.marks = [...others, ...changed]
      return route.fulfill({ status: 204 })
    },
    'POST /videos/delete': (route) => {
      const { ids } = taken(state, 'delete', route)
      server.tasks = server.tasks.filter(({ id }) => !ids.includes(id))
      return route.fulfill({ json: { deleted: ids, failed: [] } })
    },
    'GET /videos/thumbnail': (route) => route.fulfill({ contentType: 'image/jpeg', body: poster }),
  }
  for (const [name, answer] of Object.entries(answers)) server.rare.set(name, (route) => void answer(route))
  return state
}

function taken(state: LibraryState, name: string, route: Route) {
  const body = route.request().postDataJSON() as { ids: string[]; favourite?: boolean; folder?: string | null }
  state.sent.set(name, body)
  return body
}

function listed({ server, marks }: LibraryState, query: URLSearchParams) {
  const marked = (holds: (mark: VideoMark) => boolean) => (id: string) =>
    marks.some((mark) => mark.id === id && holds(mark))
  const folder = query.get('folder')
  const found = server.tasks
    .filter(({ prompt }) => prompt.toLowerCase().includes((query.get('q') ?? '').toLowerCase()))
    .filter(({ id }) => !query.has('favourites') || marked(({ favourite }) => favourite)(id))
    .filter(({ id }) => !folder || marked((mark) => mark.folder === folder)(id))
  const size = Number(query.get('per_page'))
  const first = (Number(query.get('page')) - 1) * size
  return { tasks: found.slice(first, first + size), total: found.length }
}
