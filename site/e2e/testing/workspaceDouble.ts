import { createCanvas } from '@napi-rs/canvas'
import type { Page, Route, WebSocketRoute } from 'playwright'
import { modelView } from '#backend/tasks/catalogue/modelView.ts'
import type { Task } from '#backend/tasks/contract.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'
import { understand } from '#renderer/reading/understand.ts'
import { isFinal } from '../../src/api/taskProgress.ts'

/** The state that the double serves; tests change it. */
export interface WorkspaceState {
  tasks: Task[]
  stats: object
  queue: { tasks: { id: string; position: number | null; seconds_left: number }[]; user_limit: number }
  /** Overrides by method and path under /api/v1, such as `POST /videos/generate`. A key also matches its subpaths. */
  readonly rare: Map<string, (route: Route) => Promise<void> | void>
  /** Received calls, as method and path. */
  readonly calls: string[]
  /** Bodies of `POST /videos/generate`. */
  readonly orders: object[]
  /** The open sockets, and the handler for new ones. */
  readonly sockets: WebSocketRoute[]
  onSocket: (socket: WebSocketRoute) => void
}

const USER = {
  id: 'u',
  email: 'ada@kinora.test',
  username: 'Ada',
  full_name: 'Ada',
  created_at: '2026-01-01T00:00:00.000Z',
}

export const problem =
  (status: number, code: string, more: object = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status, code, detail: `The server says: ${code}.`, ...more }),
    })
/** Answers as nginx does to a body above `client_max_body_size`. */
export const refusedByProxy = (route: Route) =>
  route.fulfill({
    status: 413,
    contentType: 'text/html',
    body: '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n</html>\r\n',
  })
export const unreachable = (route: Route) => route.abort('connectionfailed')

/** Returns a task in the API's format, with the status `Success` by default. */
export const taskOf = (id: string, over: Partial<Task> = {}): Task => ({
  id,
  url: `/film/${id}`,
  task_type: 'text_to_video',
  status: 'Success',
  model: 'MiniMax-Hailuo-02',
  engine: 'minimax',
  engine_model: 'MiniMax-Hailuo-02',
  duration: 6,
  resolution: '768P',
  prompt: `A lighthouse by the sea ${id}`,
  camera_movements: [],
  made_from: [],
  prompt_optimizer: true,
  first_frame_image_url: null,
  last_frame_image_url: null,
  reference_image_urls: [],
  aspect_ratio: null,
  seed: null,
  negative_prompt: null,
  sound: null,
  video_url: `/api/v1/videos/preview/${id}`,
  thumbnail_url: `/api/v1/videos/thumbnail/${id}`,
  live_frame_url: null,
  video_duration: 5.88,
  file_size: 1_234_567,
  credits_consumed: 30,
  created_at: new Date(Date.now() - 3 * 60_000).toISOString(),
  error_code: null,
  error_message: null,
  progress: null,
  team_id: null,
  visibility: 'private',
  by: null,
  ...over,
})

/** Returns an unfinished task. */
export const openTask = (id: string, status: Task['status'], over: Partial<Task> = {}): Task =>
  taskOf(id, { status, video_url: null, thumbnail_url: null, video_duration: null, file_size: null, ...over })

export function picture(width: number, height: number): Buffer {
  const canvas = createCanvas(width, height)
  const draw = canvas.getContext('2d')
  const sky = draw.createLinearGradient(0, 0, 0, height)
  sky.addColorStop(0, '#24306b')
  sky.addColorStop(1, '#ffb36b')
  draw.fillStyle = sky
  draw.fillRect(0, 0, width, height)
  return canvas.toBuffer('image/jpeg')
}

/** Replaces the workspace's API with a double that can also produce rare responses. */
export async function openDouble(page: Page, url: string, language: 'en' | 'zh'): Promise<WorkspaceState> {
  const state: WorkspaceState = {
    tasks: [],
    stats: { current_tier: 'standard', current_status: 'active', remaining_credits: 900, total_credits: 1000 },
    queue: { tasks: [], user_limit: 4 },
    rare: new Map(),
    calls: [],
    orders: [],
    sockets: [],
    onSocket: (socket) => {
      socket.onMessage((text) => {
        if (String(text).includes('ping')) socket.send('{"type":"pong"}')
      })
    },
  }
  await page.context().addCookies([
    { name: 'kinora_refresh', value: 'double', url },
    { name: 'kinora_access', value: 'double', url },
    { name: 'kinora_signed_in', value: '1', url },
  ])
  await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
  await page.route('**/api/v1/**', (route) => answer(route, state, language))
  await page.routeWebSocket('**/api/v1/ws**', (socket) => {
    state.sockets.push(socket)
    state.onSocket(socket)
  })
  return state
}

async function answer(route: Route, state: WorkspaceState, language: string): Promise<void> {
  const request = route.request()
  const { pathname, searchParams } = new URL(request.url())
  const path = pathname.replace('/api/v1', '')
  const name = `${request.method()} ${path}`
  state.calls.push(name)
  const rare = [...state.rare].find(([key]) => name === key || name.startsWith(`${key}/`))
  if (rare) return rare[1](route)
  const json = (body: object, status = 200) => route.fulfill({ status, json: body })
  const [, task] = /^\/videos\/tasks?\/(.+)$/.exec(path) ?? []
  if (path === '/auth/me') return json({ ...USER, language })
  if (path === '/subscriptions/stats') return json(state.stats)
  if (path === '/videos/models') return json(shippedModels('demo').map((model) => modelView(model, false)))
  if (path === '/videos/templates') return route.continue()
  if (path === '/ws/token') return json({ token: 'double' })
  if (path === '/status')
    return json({
      ...{ demo_renderer: true, prompt_optimizer: false },
      ...{ support_email: 'support@kinora.test', video_label: 'auto', version: '0.0.0' },
    })
  if (path === '/videos/understand') {
    const { prompt, language = 'en' } = request.postDataJSON()
    return json(understand(prompt, language))
  }
  if (path === '/videos/upload-image') return json({ image_url: '/api/v1/videos/images/1' })
  if (/^\/videos\/(thumbnail|images|tasks\/\w+\/frame)/.test(path))
    return route.fulfill({ contentType: 'image/jpeg', body: picture(640, 360) })
  if (path === '/videos/queue') {
    const open = state.tasks.filter((each) => !isFinal(each)).length
    return json({ global_queue: 3, user_queue_position: null, user_in_progress: open, ...state.queue })
  }
  if (path === '/videos/tasks') {
    const size = Number(searchParams.get('per_page'))
    const first = (Number(searchParams.get('page')) - 1) * size
    return json({ tasks: state.tasks.slice(first, first + size), total: state.tasks.length })
  }
  if (path === '/videos/generate') {
    const order = request.postDataJSON() as Partial<Task>
    state.orders.push(order)
    const made = openTask(`new-${state.orders.length}`, 'Preparing', { ...order, created_at: new Date().toISOString() })
    state.tasks = [made, ...state.tasks]
    return json({ task: made }, 202)
  }
  if (task && request.method() === 'DELETE') {
    state.tasks = state.tasks.filter(({ id }) => id !== task)
    return route.fulfill({ status: 204 })
  }
  const known = state.tasks.find(({ id }) => id === task)
  return known ? json(known) : problem(404, 'not_found')(route)
}
