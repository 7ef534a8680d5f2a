import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdClock, pass } from '../testing/heldClock.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite, type OnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, problem, taskOf, type WorkspaceState } from '../testing/workspaceDouble.ts'

const MINUTE = 60_000
const LIST = 'GET /videos/tasks'
const TOKEN = 'POST /ws/token'

describeOnSite('the updates of the workspace', (site) => {
  describe.each(languagesInTurn('zh'))('(%s)', (language) => freshness(site, language))
})

function freshness(site: OnSite, language: 'en' | 'zh'): void {
  let page: Page
  let state: WorkspaceState
  // biome-ignore lint/suspicious/noExplicitAny: catalogues are read as they are
  let [texts, common]: any[] = []
  const toast = (text: string) => page.locator('#toasts').getByText(text).first().waitFor()
  const open = () => page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
  const count = (name: string) => state.calls.filter((call) => call === name).length
  const connected = (sockets: number) => expect.poll(() => state.sockets.length).toBe(sockets)
  /** Waits until the page has asked for a socket, and so polls. */
  const polls = (tokens: number) => expect.poll(() => count(TOKEN)).toBeGreaterThan(tokens)

  beforeAll(async () => {
    ;[texts, common] = await Promise.all([words(language, 'workspace'), words(language, 'common')])
    page = await site.visit({ language })
    await holdClock(page)
    state = await openDouble(page, site.url, language)
  })
  afterAll(() => page?.context().close())

  it('show each new task status, the balance, and operator messages', async () => {
    state.tasks = [openTask('a', 'Preparing')]
    await open()
    await connected(1)
    await page.locator('[data-task="a"]').waitFor()
    const say = (message: object) => state.sockets[0]!.send(JSON.stringify(message))
    for (const status of ['Queueing', 'Processing', 'DOWNLOADING'] as const) {
      say({ type: 'task_update', task: openTask('a', status) })
      await toast(texts.news[status])
      await page.locator('[data-task="a"]').getByText(texts.status[status]).waitFor()
    }
    const icon = () => page.locator('link[rel="icon"]').getAttribute('href')
    expect([await page.title(), await icon()]).toEqual([
      `96% · ${texts.metaTitle}`,
      expect.stringMatching(/^data:image/),
    ])
    say({ type: 'task_update', task: taskOf('a') })
    await toast(texts.news.Success)
    await expect.poll(async () => [await page.title(), await icon()]).toEqual([texts.metaTitle, '/favicon.svg'])
    say({ type: 'task_update', task: openTask('b', 'Fail', { error_message: 'No light.', credits_consumed: 0 }) })
    await toast(texts.news.Fail.replace('{{reason}}', 'No light.'))
    say({ type: 'credits_update', remaining: 123, total: 1000 })
    await page.locator('header').getByText('123').first().waitFor()
    say({ type: 'notification', level: 'warning', message: 'Maintenance at noon' })
    await toast('Maintenance at noon')
  })

  it('remove a task that another tab deleted, and show a cancelled task as cancelled', async () => {
    state.tasks = [openTask('d', 'Queueing'), openTask('c', 'Queueing')]
    const before = state.sockets.length + 1
    await open()
    await connected(before)
    const row = (id: string) => page.locator(`[data-task="${id}"]`)
    await row('d').waitFor()
    const say = (message: object) => state.sockets.at(-1)!.send(JSON.stringify(message))
    state.tasks = []
    say({ type: 'task_deleted', id: 'd' })
    await row('d').waitFor({ state: 'detached' })
    await page
      .getByText((texts.queue.inProgress_one ?? texts.queue.inProgress_other).replace('{{count}}', '1'))
      .first()
      .waitFor()
    say({ type: 'task_update', task: openTask('c', 'Fail', { error_code: 'cancelled', credits_consumed: 0 }) })
    await row('c').locator('.badge').getByText(texts.status.Cancelled, { exact: true }).waitFor()
    await expect.poll(() => page.getByText(texts.status.Fail, { exact: true }).count()).toBe(0)
  })

  it('reconnect after 90 seconds without a pong', async () => {
    state.onSocket = () => {}
    const before = state.sockets.length + 1
    await open()
    await connected(before)
    await pass(page, 92_999)
    expect(state.sockets.length).toBe(before)
    await pass(page, 1)
    await connected(before + 1)
  })

  it('poll the list every minute with the socket, and open tasks every five seconds without it', async () => {
    state.tasks = [openTask('a', 'Processing')]
    state.rare.set(TOKEN, problem(503, 'unavailable'))
    const tokens = count(TOKEN)
    await open()
    await polls(tokens)
    const row = page.locator('[data-task="a"]')
    await pass(page, 5_000, 5_000)
    await page.getByText(texts.realtime.polling).waitFor()
    for (const status of ['Processing', 'DOWNLOADING'] as const) {
      state.tasks = [openTask('a', status, { progress: 40 })]
      await pass(page, 5_000, 5_000)
      await row.getByText(texts.status[status]).waitFor()
      await expect.poll(() => page.locator('main').textContent()).not.toContain('%')
      await expect.poll(() => page.title()).toBe(texts.metaTitle)
    }
    state.tasks = [openTask('a', 'Processing')]
    /** Returns how often the list and the open task are read while time passes. */
    const reads = async (ms: number) => {
      const [lists, looks] = [count(LIST), count('GET /videos/tasks/a')]
      await pass(page, ms, 5_000)
      return [count(LIST) - lists, count('GET /videos/tasks/a') - looks]
    }
    expect(await reads(20_000)).toEqual([2, 4])
    // After half an hour the task is no longer polled, but the list still is.
    await page.clock.fastForward(31 * MINUTE)
    await pass(page, 1)
    expect(await reads(30_000)).toEqual([3, 0])
    state.rare.clear()
    state.onSocket = (socket) => socket.onMessage(() => socket.send('{"type":"pong"}'))
    const lists = count(LIST)
    await open()
    // The list is read again when the socket has connected.
    await expect.poll(() => count(LIST)).toBe(lists + 2)
    await row.getByText('%').waitFor()
    await expect.poll(() => page.getByText(texts.realtime.polling).count()).toBe(0)
    expect(await reads(59_000)).toEqual([0, 0])
    expect(await reads(1_000)).toEqual([1, 0])
  })

  it('report a refused connection without retrying', async () => {
    state.onSocket = (socket) => void socket.close({ code: 4001 })
    const tokens = count(TOKEN)
    await open()
    await toast(texts.realtime.refused)
    await pass(page, 10_000)
    expect(count(TOKEN)).toBe(tokens + 1)
  })

  it('report a lost connection after ten retries, three seconds apart', async () => {
    state.onSocket = (socket) => void socket.close({ code: 1012 })
    const first = state.sockets.length + 1
    await open()
    await connected(first)
    for (let retry = 1; retry <= 10; retry++) {
      // A restarting server is called again within half a second.
      await pass(page, retry === 1 ? 500 : 3_000)
      await connected(first + retry)
    }
    await toast(texts.realtime.lost)
    await pass(page, 10_000)
    expect(state.sockets.length).toBe(first + 10)
  })

  it('pause after the third consecutive failure, report it, and resume on request', async () => {
    state.onSocket = () => {}
    state.rare.set(TOKEN, problem(503, 'unavailable'))
    state.tasks = [taskOf('a')]
    const [tokens, sockets] = [count(TOKEN), state.sockets.length]
    await open()
    await polls(tokens)
    state.rare.set(LIST, problem(500, 'internal'))
    const before = count(LIST)
    for (let failure = 1; failure <= 3; failure++) {
      await pass(page, 30_000)
      expect(count(LIST)).toBe(before + failure)
    }
    await toast(texts.queue.paused)
    await pass(page, MINUTE)
    expect(count(LIST)).toBe(before + 3)
    const resume = page.getByRole('button', { name: texts.queue.resume })
    await resume.click()
    await toast(texts.task.refreshFailed)
    state.rare.clear()
    await resume.click()
    await expect.poll(() => resume.count()).toBe(0)
    await connected(sockets + 1)
    await pass(page, MINUTE)
    expect(count(LIST)).toBe(before + 6)
  })

  it('report a failed page if all of its first four calls fail', async () => {
    for (const path of ['/videos/tasks', '/videos/queue', '/videos/models', '/subscriptions/stats'])
      state.rare.set(`GET ${path}`, problem(500, 'internal'))
    await open()
    await toast(texts.queue.pageFailed)
    await page.getByText(texts.queue.loadFailed).waitFor()
    state.rare.delete('GET /videos/models')
    await open()
    await page.getByText(texts.queue.loadFailed).waitFor()
    await expect.poll(() => page.getByText(texts.queue.pageFailed).count()).toBe(0)
    state.rare.clear()
    await page.getByRole('button', { name: common.action.retry }).click()
    await page.locator('[data-task="a"]').waitFor()
  })

  it('keep the language if it cannot be saved', async () => {
    state.rare.set('PUT /users/language', problem(500, 'internal'))
    const other = language === 'en' ? 'zh' : 'en'
    await page.locator(`a[data-language="${other}"]`).first().click()
    await toast(common.session.languageFailed)
    expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(language)
    state.rare.clear()
  })

  it('load older videos on request', async () => {
    state.tasks = Array.from({ length: 45 }, (_, n) =>
      taskOf(`t${n}`, { created_at: new Date(Date.UTC(2026, 0, 1) - n * MINUTE).toISOString() }),
    )
    await open()
    const rows = page.locator('[data-task]')
    await expect.poll(() => rows.count()).toBe(20)
    await page.getByRole('button', { name: texts.queue.more }).click()
    await expect.poll(() => rows.count()).toBe(40)
    state.tasks = [taskOf('new', { created_at: '2026-01-02T00:00:00.000Z' }), ...state.tasks.slice(1)]
    await page.getByRole('button', { name: texts.queue.refresh }).click()
    await page.locator('[data-task="new"]').waitFor()
    await expect
      .poll(() => rows.evaluateAll((list) => list.map((row) => row.getAttribute('data-task'))))
      .toEqual(['new', ...Array.from({ length: 39 }, (_, n) => `t${n + 1}`)])
    await page.getByRole('button', { name: texts.queue.more }).click()
    await expect.poll(() => rows.count()).toBe(45)
  })
}
