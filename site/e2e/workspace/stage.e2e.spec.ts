import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import type { CameraMovement } from '#backend/tasks/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { viewsInTurn } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, picture, taskOf } from '../testing/workspaceDouble.ts'

const PUSH_IN = '推进' as CameraMovement
const LIVE_FRAME = '/api/v1/videos/tasks/rendering/frame?at=50'
const TASKS = [
  openTask('third', 'Queueing'),
  openTask('second', 'Queueing'),
  openTask('rendering', 'Processing', { progress: 50, live_frame_url: LIVE_FRAME }),
  taskOf('done', { camera_movements: [PUSH_IN] }),
  openTask('failed', 'Fail', { error_code: 'content_refused', credits_consumed: 0 }),
]
const QUEUE = [
  { id: 'third', position: 3, seconds_left: 340 },
  { id: 'second', position: 2, seconds_left: 84 },
  { id: 'rendering', position: null, seconds_left: 14 },
]
const idsOf = (page: Page, attribute: string) =>
  page.locator(`[${attribute}]`).evaluateAll((all, name) => all.map((one) => one.getAttribute(name)), attribute)

describeOnSite('the stage', (site) => {
  const address = (language: string) => `${site.url}${language === 'zh' ? '/zh' : ''}/workspace`

  it.each(viewsInTurn())('shows each state of a take, in queue order, in %s at %i px', async (language, width) => {
    const { queue, stage, status, task, keys } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.tasks = TASKS
    state.queue.tasks = QUEUE
    await page.goto(address(language))
    const film = page.locator('.film')
    await film.getByText(stage.held_other.replace('{{count}}', '30')).waitFor()
    const order = ['rendering', 'second', 'third', 'done', 'failed']
    await expect.poll(() => idsOf(page, 'data-take')).toEqual(order)
    await expect.poll(() => idsOf(page, 'data-task')).toEqual(order)
    for (const id of order)
      await expect
        .poll(() => page.locator(`[data-task="${id}"]`).getByRole('button', { name: task.refresh }).count())
        .toBe(1)
    const faults: string[] = []
    const show = async (id: string, shown: string, text?: string) => {
      await page.locator(`[data-take="${id}"]`).click()
      // The film follows the strip.
      await expect.poll(() => film.getAttribute('data-state')).toBe(shown)
      await expect.poll(() => page.locator('[data-take][aria-current]').getAttribute('data-take')).toBe(id)
      if (text) await film.getByText(text, { exact: true }).waitFor()
      faults.push(...(await axeFaults(page, 'main')))
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
    await show('rendering', 'rendering', '52%')
    const picture = (part: string) => page.locator(`${part} img`).first().getAttribute('src')
    expect([await picture('.film'), await picture('[data-take="rendering"]')]).toEqual([LIVE_FRAME, LIVE_FRAME])
    await show('second', 'waiting', queue.ahead.replace('{{position}}', '2'))
    await show('failed', 'failed', status.Fail)
    await show('done', 'finished')
    expect(await film.locator('video').evaluate((video: HTMLVideoElement) => [video.loop, video.muted])).toEqual([
      false,
      true,
    ])
    await page.getByRole('button', { name: keys.heading }).click()
    faults.push(...(await axeFaults(page, 'dialog[open]')))
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('keeps movements as chips when the language changes, and sends them', async () => {
    const { form, camera } = await words('zh', 'workspace')
    const { name: movements } = await words('zh', 'movements')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    await page.goto(address('en'))
    await page.locator('#prompt').fill('A ship [Push in, Pan left]')
    await page.locator('[data-movement]').nth(1).waitFor()
    // Drafts are saved after a pause.
    await expect
      .poll(() => page.evaluate(() => Object.values(localStorage).some((text) => text.includes('Push in'))))
      .toBe(true)
    state.rare.set('GET /auth/me', (route) =>
      route.fulfill({ json: { id: 'u', email: 'a@b.c', username: 'Ada', full_name: 'Ada', language: 'zh' } }),
    )
    // The double sets the language again on every load; the last script wins.
    await page.addInitScript(() => localStorage.setItem('language', 'zh'))
    await page.goto(address('zh'))
    const chips = page.locator('[data-movement]')
    await expect.poll(() => chips.allInnerTexts()).toEqual([movements.pushIn, movements.panLeft])
    await expect
      .poll(() => page.locator('#prompt').inputValue())
      .toBe(`A ship [${movements.pushIn}，${movements.panLeft}]`)
    await page.getByRole('button', { name: camera.remove.replace('{{name}}', movements.panLeft) }).click()
    await page.getByRole('button', { name: new RegExp(`^${form.generate}`) }).click()
    await expect.poll(() => state.orders[0]).toMatchObject({ prompt: 'A ship', camera_movements: [PUSH_IN] })
    await page.context().close()
  })

  it('orders several takes, each once, as far as places and credits allow', async () => {
    const { form, plans } = await words('en', 'workspace')
    const { choose } = await words('en', 'subscription')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [openTask('a', 'Queueing')]
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/videos/generate')) keys.push(request.headers()['idempotency-key'])
    })
    await page.goto(address('en'))
    await page.locator('#prompt').fill('A ship')
    const generate = page.getByRole('button', { name: new RegExp(`^${form.generate}`) })
    const more = page.getByRole('button', { name: form.moreTakes })
    for (let take = 2; take <= 3; take++) await more.click()
    // The plan holds four videos, one of which is open.
    await expect.poll(() => more.isDisabled()).toBe(true)
    await expect.poll(() => generate.textContent()).toContain('90 credits')
    await generate.click()
    await expect.poll(() => state.orders.length).toBe(3)
    expect(new Set(keys).size).toBe(3)
    await page.getByText(form.queueFull_other.replace('{{count}}', '4'), { exact: false }).waitFor()
    await expect.poll(() => generate.isDisabled()).toBe(true)
    await page.locator('#generate-note').getByRole('link', { name: form.plans }).click()
    const dialog = page.getByRole('dialog', { name: plans.heading })
    const current = dialog.locator('[data-tier="standard"]')
    await current.getByText(choose.current).waitFor()
    await expect.poll(() => current.getByRole('button').count()).toBe(0)
    await expect.poll(() => dialog.locator('[data-tier="pro"]').getByRole('button').count()).toBe(1)
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe('A ship')
    await page.context().close()
  })

  it.each(
    sampled([
      ['en', 1280, false],
      ['zh', 390, false],
      ['zh', 1280, true],
    ] as const),
  )('names all actions of a take, in %s at %i px, in theatre view: %s', async (language, width, theatre) => {
    const { task, keys } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a'), openTask('open', 'Queueing')]
    if (theatre) await page.addInitScript(() => localStorage.setItem('kinora.theatre', '1'))
    await page.goto(address(language))
    const caption = page.locator('.caption')
    const more = caption.getByRole('button', { name: task.more, exact: true })
    const named = () => caption.getByRole('menuitem').allTextContents()
    await page.locator('[data-take="a"]').click()
    await more.click()
    const again = task.again_other.replace('{{count}}', '30')
    for (const name of [again, task.continue])
      await expect.poll(() => caption.getByRole('button', { name, exact: true }).textContent()).toBe(name)
    const rest = [task.play, `${task.download}D`, task.preview, `${task.remix}U`, task.refresh, `${task.delete}Del`]
    await expect.poll(named).toEqual(rest)
    const list = caption.getByRole('menu')
    const box = (await list.boundingBox())!
    expect([box.x >= 0, box.x + box.width <= width]).toEqual([true, true])
    expect(await axeFaults(page, '.caption')).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => more.evaluate((button) => button === document.activeElement)).toBe(true)

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: keys.heading }).getByRole('switch', { name: keys.single }).uncheck()
    await page.keyboard.press('Escape')
    await more.click()
    await expect.poll(named).toEqual(rest.map((text) => text.replace(/(?:D|U|Del)$/, '')))
    await page.keyboard.press('Escape')
    await page.locator('[data-take="open"]').click()
    await caption.getByRole('button', { name: task.cancel, exact: true }).waitFor()
    await more.click()
    await expect.poll(named).toEqual([task.remix, task.refresh])
    await page.context().close()
  })

  it('obeys single keys outside of fields until they are switched off', async () => {
    const { keys } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a'), taskOf('b'), taskOf('c')]
    state.rare.set('POST /videos/tasks/b/last-frame', (route) =>
      route.fulfill({ status: 201, json: { image_url: '/api/v1/videos/images/9' } }),
    )
    await page.goto(address('en'))
    const current = () => page.locator('[data-take][aria-current]').getAttribute('data-take')
    await expect.poll(current).toBe('a')
    await page.keyboard.press('ArrowRight')
    await expect.poll(current).toBe('b')
    await page.keyboard.press('/')
    await page.keyboard.type('t')
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe('t')
    await page.locator('#prompt').blur()
    await page.keyboard.press('t')
    await page.locator('.workspace[data-view="theatre"]').waitFor()
    await page.keyboard.press('e')
    await page.getByRole('tab', { name: (await words('en', 'workspace')).form.image, selected: true }).waitFor()
    await page.locator('.drop img').waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: keys.heading })
    await dialog.getByRole('switch', { name: keys.single }).uncheck()
    await page.keyboard.press('Escape')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('t')
    await expect.poll(current).toBe('b')
    await expect.poll(() => page.locator('.workspace[data-view="theatre"]').count()).toBe(1)
    await page.context().close()
  })

  it("previews movements on the user's own picture, at its end under reduced motion", async () => {
    const { form, image, camera } = await words('en', 'workspace')
    const { name: movements } = await words('en', 'movements')
    const page = await site.visit({ language: 'en', width: 390 })
    await openDouble(page, site.url, 'en')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(address('en'))
    await page.getByRole('tab', { name: form.image }).click()
    const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 360) }
    await page.locator('#first-frame').setInputFiles(file)
    await page.getByText(image.ready).waitFor()
    await page.getByRole('button', { name: form.movements }).click()
    const canvas = page.getByRole('img', { name: camera.preview })
    const pixels = () => canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL())
    const isDrawn = () =>
      canvas.evaluate((element: HTMLCanvasElement) => element.getContext('2d')!.getImageData(320, 180, 1, 1).data[3])
    await expect.poll(isDrawn).toBe(255)
    const drifting = await pixels()
    await page
      .locator('dialog')
      .getByRole('button', { name: new RegExp(`^${movements.tiltUp}`) })
      .click()
    await expect.poll(pixels).not.toBe(drifting)
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    await page.context().close()
  })

  it('updates one toast for each task', async () => {
    const { news } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [openTask('a', 'Preparing'), openTask('b', 'Preparing')]
    await page.goto(address('en'))
    await expect.poll(() => state.sockets.length).toBe(1)
    const say = (task: object) => state.sockets[0]!.send(JSON.stringify({ type: 'task_update', task }))
    const toasts = page.locator('#toasts [data-toast]')
    for (const id of ['a', 'b']) say(openTask(id, 'Queueing'))
    await expect.poll(() => toasts.allInnerTexts()).toEqual([news.Queueing, news.Queueing])
    say(openTask('a', 'Processing'))
    await expect.poll(() => toasts.allInnerTexts()).toEqual([news.Queueing, news.Processing])
    await page.context().close()
  })

  it('corrects the time left while a video renders', async () => {
    const { leftSeconds_other: left } = (await words('en', 'workspace')).queue
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [openTask('a', 'Processing', { progress: 5 })]
    state.queue.tasks = [{ id: 'a', position: null, seconds_left: 90 }]
    await page.goto(address('en'))
    const film = page.locator('.film')
    await film.getByText(left.replace('{{count}}', '90')).waitFor()
    await expect.poll(() => state.sockets.length).toBe(1)
    state.queue.tasks = [{ id: 'a', position: null, seconds_left: 15 }]
    state.sockets[0]!.send(JSON.stringify({ type: 'task_update', task: openTask('a', 'Processing', { progress: 40 }) }))
    await film.getByText(left.replace('{{count}}', '15')).waitFor()
    await page.context().close()
  })

  it('shows a phone the film first once there is one, and keeps the prompt in reach', async () => {
    const { form, keys } = await words('zh', 'workspace')
    const page = await site.visit({ language: 'zh', width: 390 })
    const state = await openDouble(page, site.url, 'zh')
    state.stats = { ...state.stats, remaining_credits: 60 }
    const order = () =>
      page
        .locator('.workspace > *')
        .evaluateAll((parts) =>
          parts
            .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
            .map(({ className }) => /\b(stage|workspace-form|queue)\b/.exec(className)?.[0]),
        )
    await page.goto(address('zh'))
    await page.locator('.first-run').waitFor()
    await expect.poll(order).toEqual(['workspace-form', 'stage', 'queue'])
    state.tasks = [taskOf('done')]
    await page.reload()
    await page.locator('.film[data-state="finished"]').waitFor()
    await page.reload()
    await page.locator('.film[data-state="finished"]').waitFor()
    await expect.poll(order).toEqual(['stage', 'workspace-form', 'queue'])
    const line = page.getByRole('button', { name: `${keys.prompt}: ${form.promptPlaceholder}` })
    await page.locator('.queue').scrollIntoViewIfNeeded()
    await line.waitFor()
    expect(await axeFaults(page, 'main')).toEqual([])
    await line.click()
    await expect.poll(() => page.locator('#prompt').evaluate((box) => box === document.activeElement)).toBe(true)
    await line.waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('turns the bar of a phone into the progress, and back for a new prompt', async () => {
    const { form, stage, status } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en', width: 390 })
    const state = await openDouble(page, site.url, 'en')
    await page.goto(address('en'))
    await page.locator('#prompt').fill('A ship')
    const generate = page.getByRole('button', { name: new RegExp(`^${form.generate}`) })
    await generate.click()
    await page.locator('.bar-progress').waitFor()
    await expect.poll(() => generate.isVisible()).toBe(false)
    await expect.poll(() => state.sockets.length).toBe(1)
    const task = { ...state.tasks[0], status: 'Fail', error_code: 'cancelled' }
    state.sockets[0]!.send(JSON.stringify({ type: 'task_update', task }))
    await page.locator('.bar-progress').getByText(status.Cancelled, { exact: true }).waitFor()
    await page.getByRole('button', { name: stage.new }).click()
    await generate.waitFor()
    await expect.poll(() => page.locator('#prompt').evaluate((box) => box === document.activeElement)).toBe(true)
    await page.context().close()
  })

  it.each(
    sampled(
      [
        ['without videos', 390, []],
        ['without videos', 1280, []],
        ['with videos', 390, TASKS],
        ['with videos', 1280, TASKS],
      ] as const,
      2,
    ),
  )('loads without shifting, %s at %i px', async (_, width, tasks) => {
    const page = await site.visit({ language: 'en', width })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [...tasks]
    state.queue.tasks = QUEUE
    await observeShifts(page)
    await page.goto(address('en'))
    await page.locator('#prompt').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await shiftFaults(page)).toEqual([])
    await page.context().close()
  })
})
