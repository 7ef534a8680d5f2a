import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createCanvas } from '@napi-rs/canvas'
import { chromium } from 'playwright'
import { recordAnswers } from '#backend/providers/video/comfyui/testing/recordedCalls.ts'
import type { Task } from '#backend/tasks/contract.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { startProgram } from '#backend/testing/program.ts'
import { registerUser, type TestUser, visitor } from '#backend/testing/testUser.ts'
import { buildSiteIfStale } from '../../scripts/buildSite.mjs'
import { BINDINGS, GRAPHS, UNREADABLE, writeGraphs } from './comfyuiGraphs.ts'
import { answers, compare } from './engines.ts'
import { type Part, type PartContext, Skipped } from './part.ts'
import { CHROMIUM, installed, stop } from './server.ts'

/** A ComfyUI server that runs already, or a folder with one and its packages, which need gigabytes. */
export const COMFYUI_PARTS: readonly Part[] = [{ name: 'ComfyUI', run: tryComfyui }]

const RECORDING = path.resolve(
  import.meta.dirname,
  '../../backend/providers/video/comfyui/testing/recordings/older.json',
)
/** Version of the recorded server, which has no `/api/jobs` yet. */
const VERSION = '0.3.64'
const OPERATOR = { username: 'operator', password: 'a wall of numbers' }
/** Text by which the prompts of this test are recognised in the server's history. */
const MARK = 'a prompt that Kinora tests'

async function tryComfyui(context: PartContext): Promise<string> {
  await using server = await startComfyui(context.folder)
  return await Promise.race([tryServer(server.url, context), server.ended])
}

async function tryServer(url: string, { folder, pictures, record }: PartContext): Promise<string> {
  const stats = (await (await fetch(`${url}/system_stats`)).json()) as { system?: { comfyui_version?: string } }
  const version = stats.system?.comfyui_version ?? 'of an unknown version'
  if (record || version === VERSION) compare(RECORDING, version, await recordAnswers(url), record)
  const data = path.join(folder, 'data')
  writeGraphs(path.join(data, 'comfyui'))
  await upload(url, UNREADABLE, Buffer.from('no picture'))
  if (pictures) await buildSiteIfStale()
  const operator = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  const kinora = await startProgram({ PORT: '0', DATA_DIR: data, COMFYUI_URL: url, DEMO: 'off', ...operator })
  try {
    const board = await signIn(kinora.url)
    const user = await registerUser(kinora.url)
    const films = new Map<string, Task>()
    for (const name of Object.keys(GRAPHS)) films.set(name, await order(kinora.url, user, name))
    await compareEnds(url, board, films)
    await trySetUp(board)
    if (pictures) await showBoard(kinora.url, board.cookie, pictures)
    for (const { id } of films.values()) assert.equal((await user.call('DELETE', `/videos/tasks/${id}`)).status, 204)
    await forgotten(url, [...films.values()])
    return version
  } finally {
    await kinora.stop()
  }
}

interface Server extends AsyncDisposable {
  readonly url: string
  /** Rejects when the server ends. */
  readonly ended: Promise<never>
}

/** Returns the server of `TEST_COMFYUI_URL`, or starts that of `TEST_COMFYUI_DIR`, whose files stay as they are. */
async function startComfyui(folder: string): Promise<Server> {
  const { TEST_COMFYUI_URL: running, TEST_COMFYUI_DIR: home } = process.env
  if (running)
    return { url: running.replace(/\/$/, ''), ended: new Promise(() => {}), [Symbol.asyncDispose]: async () => {} }
  if (!home) throw new Skipped('TEST_COMFYUI_URL names no server, and TEST_COMFYUI_DIR no folder of one')
  const own = ['venv', '.venv'].map((name) => path.join(home, name, 'bin/python')).find(existsSync)
  const port = await freePort()
  const base = path.join(folder, 'comfyui')
  for (const name of ['custom_nodes', 'input']) mkdirSync(path.join(base, name), { recursive: true })
  const where = ['--listen', '127.0.0.1', '--port', String(port), '--base-directory', base]
  const server = spawn(own ?? 'python3', ['main.py', '--cpu', ...where], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said: string[] = []
  server.stderr.on('data', (text) => said.push(String(text)))
  const ended = once(server, 'exit').then(([code, signal]) => {
    throw new Error(`ComfyUI ended with ${code ?? signal}: ${said.join('').slice(-1_000)}`)
  })
  const url = `http://127.0.0.1:${port}`
  await Promise.race([answers(server, `${url}/system_stats`), ended])
  return { url, ended, [Symbol.asyncDispose]: () => stop(server) }
}

async function upload(url: string, name: string, bytes: Buffer<ArrayBuffer>): Promise<void> {
  const form = new FormData()
  form.set('image', new Blob([bytes]), name)
  form.set('overwrite', 'true')
  assert.ok((await fetch(`${url}/upload/image`, { method: 'POST', body: form })).ok)
}

type Board = Awaited<ReturnType<typeof signIn>>

async function signIn(url: string) {
  const { api, post } = visitor(url)
  const cookie = (await post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
  const call = async (pathname: string, body?: object) => {
    const headers = { cookie, 'content-type': 'application/json' }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return fetch(api + pathname, init)
  }
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of its endpoint.
  const read = async (pathname: string, body?: object): Promise<any> => (await call(pathname, body)).json()
  return { cookie, call, read }
}

/** Orders a film of a graph and waits for its end. */
async function order(url: string, user: TestUser, model: string): Promise<Task> {
  const withPicture = 'firstFrame' in (GRAPHS[model]!.bindings ?? {})
  const chosen = withPicture
    ? { task_type: 'image_to_video', first_frame_image_url: await uploadPicture(url, user) }
    : { task_type: 'text_to_video', aspect_ratio: '16:9' }
  const cancels = GRAPHS[model]!.ends === 'cancelled'
  const body = { ...chosen, model, prompt: MARK, resolution: '480P', duration: cancels ? 4 : 1 }
  const started = await user.call('POST', '/videos/generate', body)
  const { id } = ((await started.json()) as { task: Task }).task
  for (let cancelled = false; ; await delay(200)) {
    const task = (await (await user.call('GET', `/videos/tasks/${id}`)).json()) as Task
    if (task.status === 'Success' || task.status === 'Fail') return task
    if (!cancels || cancelled || task.status !== 'Processing') continue
    cancelled = (await user.call('POST', `/videos/tasks/${id}/cancel`)).status === 202
  }
}

async function uploadPicture(url: string, user: TestUser): Promise<string> {
  const form = new FormData()
  form.set(
    'file',
    new Blob([new Uint8Array(createCanvas(960, 540).toBuffer('image/jpeg'))], { type: 'image/jpeg' }),
    'a.jpg',
  )
  const encoded = new Response(form)
  const headers = { cookie: user.cookie, 'content-type': encoded.headers.get('content-type')! }
  const answer = await fetch(`${visitor(url).api}/videos/upload-image`, {
    method: 'POST',
    headers,
    body: await encoded.blob(),
  })
  return ((await answer.json()) as { image_url: string }).image_url
}

/** Compares how each film ended, and what the operator reads of it, with what its graph is for. */
async function compareEnds(url: string, board: Board, films: ReadonlyMap<string, Task>): Promise<void> {
  const { data } = await board.read('/analytics/tasks')
  for (const [name, { id, status, error_code }] of films) {
    const { ends, needs } = GRAPHS[name]!
    const lacking = needs && !(await has(url, needs)) ? new RegExp(needs.at(-1)!) : ends
    const { detail } = data.latest_failures.find(({ task_id }: { task_id: string }) => task_id === id) ?? {}
    const ended = `${name} ended as ${status} ${error_code ?? ''}: ${detail}`
    if (lacking === 'film') assert.equal(status, 'Success', ended)
    else if (lacking === 'cancelled') assert.equal(error_code, 'cancelled', ended)
    else assert.match(detail ?? '', lacking, ended)
  }
}

/** Returns whether a server has a node, and a value of its input. */
async function has(url: string, [node, input, value]: readonly [string, string?, string?]): Promise<boolean> {
  const { [node]: found } = (await (await fetch(`${url}/object_info/${node}`)).json()) as Record<
    string,
    { input: { required: Record<string, unknown> } }
  >
  if (!found || !input) return Boolean(found)
  return JSON.stringify(found.input.required[input]).includes(`"${value}"`)
}

/** Sets up a graph as the operator does on the board. */
async function trySetUp(board: Board): Promise<void> {
  const { output, fps, faults, graph, bindings } = await board.read('/analytics/graphs/inspect', {
    workflow: GRAPHS.mp4!.graph,
  })
  assert.deepEqual([faults, output, bindings.prompt], [[], '9', BINDINGS.prompt])
  const order = { graph, bindings, output, fps, prompt: MARK, resolution: '480P', seconds: 1 }
  const { test_id } = await board.read('/analytics/graphs/test', order)
  const place = `/analytics/graphs/test/${test_id}`
  for (let state = ''; state !== 'finished'; await delay(200)) {
    const read = await board.read(`${place}?output=${output}`)
    state = read.state
    assert.notEqual(state, 'failed', read.detail)
  }
  const picture = await board.call(`${place}/picture?output=${output}&fps=${fps}`)
  assert.ok((await picture.arrayBuffer()).byteLength > 1_000)
}

/** Takes pictures of the reasons on the board. */
async function showBoard(url: string, cookie: string, pictures: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await using browser = await chromium.launch({
    executablePath: installed('chromium', ...CHROMIUM),
    args: ['--no-sandbox'],
  })
  const [name, value] = cookie.split(/=(.*)/s) as [string, string]
  for (const [language, prefix] of [
    ['en', ''],
    ['zh', '/zh'],
  ]) {
    for (const width of [390, 1280]) {
      const page = await browser.newPage({ viewport: { width, height: 900 } })
      await page.context().addCookies([{ name, value, url }])
      await page.goto(`${url}${prefix}/admin/dashboard`)
      const latest = page.locator('details:has(.board-lines)').first()
      await latest.locator('summary').click()
      await latest.screenshot({ path: path.join(pictures, `comfyui-${language}-${width}.png`) })
      await page.context().close()
    }
  }
}

/** Waits until the server has no prompt of the films, and of their pictures a pixel. */
async function forgotten(url: string, films: readonly Task[]): Promise<void> {
  for (;;) {
    const history = await (await fetch(`${url}/history`)).text()
    const queue = await (await fetch(`${url}/queue`)).text()
    if (!`${history}${queue}`.includes(MARK)) break
    await delay(200)
  }
  for (const { id } of films) {
    const at = new URLSearchParams({ filename: `${id}-first.jpg`, subfolder: 'kinora', type: 'input' })
    const kept = await fetch(`${url}/view?${at}`)
    if (kept.ok) assert.ok((await kept.arrayBuffer()).byteLength < 1_000, 'a picture in the folder of inputs')
  }
}
