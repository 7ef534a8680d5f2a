import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Shot, writeContactSheet } from '../testing/contactSheet.ts'
import type { Language } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, picture, problem, taskOf, type WorkspaceState } from '../testing/workspaceDouble.ts'

/** A page with the server's double and the texts of its language. */
interface Scene {
  readonly page: Page
  readonly state: WorkspaceState
  /** Opens a page by its path, the workspace by default. */
  open(path?: string): Promise<void>
  readonly workspace: Awaited<ReturnType<typeof words>>
  readonly landing: Awaited<ReturnType<typeof words>>
}

const button = ({ page }: Scene, name: string) => page.getByRole('button', { name, exact: true })
const rendering = openTask('b', 'Processing', { progress: 80, live_frame_url: '/api/v1/videos/tasks/b/frame?at=75' })
const waiting = openTask('a', 'Queueing')
const failed = openTask('d', 'Fail', { error_code: 'content_refused', credits_consumed: 0 })
const done = taskOf('c', { camera_movements: ['左移', '固定', '变焦推近'] })
const SPENT = { current_tier: 'free', current_status: 'active', remaining_credits: 0, total_credits: 60 }

const dialogOf = async (scene: Scene, name: string) => {
  scene.state.tasks = [done]
  await scene.open()
  await scene.page.locator('[data-task="c"]').getByRole('button', { name, exact: true }).click()
  await scene.page.locator('dialog[open]').waitFor()
}
const withTask = (task: typeof done) => async (scene: Scene) => {
  scene.state.tasks = [task]
  scene.state.queue.tasks = [{ id: 'a', position: 3, seconds_left: 340 }]
  await scene.open()
  await scene.page.locator('.film').waitFor()
}
const openPlans = async (scene: Scene) => {
  scene.state.stats = SPENT
  await scene.open()
  await scene.page.locator('#generate-note').getByRole('link', { name: scene.workspace.form.plans }).click()
  await scene.page.getByRole('dialog', { name: scene.workspace.plans.heading }).waitFor()
}
const chooseImage = async (scene: Scene) => {
  await scene.open()
  await scene.page.getByRole('tab', { name: scene.workspace.form.image }).click()
  const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 480) }
  await scene.page.locator('#first-frame').setInputFiles(file)
  await scene.page.getByText(scene.workspace.image.ready).waitFor()
}
const openCamera = async (scene: Scene) => {
  await scene.page.getByRole('button', { name: scene.workspace.form.movements }).click()
  for (const n of [0, 2, 4, 6]) await scene.page.locator('.movement').nth(n).click()
}
const askForAddress = async (scene: Scene) => {
  const { page, landing } = scene
  await page.context().clearCookies()
  await scene.open('/')
  await page.getByRole('textbox', { name: landing.start.label }).fill('A ship')
  await page.locator('#start').getByRole('button', { name: landing.start.generate, exact: true }).click()
  await page.getByRole('dialog', { name: landing.start.heading }).waitFor()
}

/** Every state that the workspace and the prompt of the landing page can be in. */
const STATES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'first visit': async (scene) => {
    await scene.open()
    await button(scene, scene.workspace.queue.create).waitFor()
  },
  finished: withTask(done),
  waiting: withTask(waiting),
  rendering: withTask(rendering),
  failed: withTask(failed),
  'all takes': async (scene) => {
    scene.state.tasks = [waiting, rendering, done, failed]
    await scene.open()
    await scene.page.locator('[data-task="c"]').waitFor()
  },
  theatre: async (scene) => {
    await withTask(done)(scene)
    if (await button(scene, scene.workspace.stage.theatre).isVisible())
      await button(scene, scene.workspace.stage.theatre).click()
  },
  comparison: async (scene) => {
    scene.state.tasks = ['x', 'y', 'z'].map((id) => taskOf(id, { prompt: 'A ship' }))
    await scene.open()
    await button(scene, scene.workspace.compare.heading).click()
    await scene.page.locator('dialog[open]').waitFor()
  },
  player: (scene) => dialogOf(scene, scene.workspace.task.play),
  preview: (scene) => dialogOf(scene, scene.workspace.task.preview),
  deletion: (scene) => dialogOf(scene, scene.workspace.task.delete),
  cancellation: async (scene) => {
    await withTask(waiting)(scene)
    await scene.page.locator('[data-task="a"]').getByRole('button', { name: scene.workspace.task.cancel }).click()
    await scene.page.locator('dialog[open]').waitFor()
  },
  'no credits': async (scene) => {
    scene.state.stats = SPENT
    await scene.open()
    await scene.page.getByText(scene.workspace.form.spent).waitFor()
  },
  plans: openPlans,
  'full queue': async (scene) => {
    scene.state.tasks = [waiting, rendering]
    scene.state.stats = { ...SPENT, remaining_credits: 30 }
    await scene.open()
    await scene.page.getByText(scene.workspace.form.queueFull_other.replace('{{count}}', '2')).waitFor()
  },
  toasts: async (scene) => {
    scene.state.tasks = [openTask('a', 'Preparing'), rendering]
    await scene.open()
    await expect.poll(() => scene.state.sockets.length).toBeGreaterThan(0)
    for (const task of [waiting, { ...done, id: 'b' }])
      scene.state.sockets.at(-1)!.send(JSON.stringify({ type: 'task_update', task }))
    await scene.page.getByText(scene.workspace.news.Success).waitFor()
  },
  image: async (scene) => {
    await chooseImage(scene)
    await scene.page.getByRole('radio', { name: 'I2V-01-live' }).locator('..').click()
  },
  crop: async (scene) => {
    await chooseImage(scene)
    await button(scene, scene.workspace.crop.open).click()
    await scene.page.getByRole('dialog', { name: scene.workspace.crop.heading }).waitFor()
  },
  camera: async (scene) => {
    await scene.open()
    await openCamera(scene)
  },
  'camera on the image': async (scene) => {
    await chooseImage(scene)
    await openCamera(scene)
  },
  keys: async (scene) => {
    await withTask(done)(scene)
    await button(scene, scene.workspace.keys.heading).click()
  },
  'failed load': async (scene) => {
    scene.state.rare.set('GET /videos/tasks', problem(500, 'internal'))
    await scene.open()
    await scene.page.getByText(scene.workspace.queue.loadFailed).waitFor()
  },
  'plans of a reader': async (scene) => {
    await scene.open('/')
    await scene.page.locator('#plans .plan-current').waitFor()
    await scene.page.locator('#plans').scrollIntoViewIfNeeded()
  },
  // These end the session.
  'sign-up card': askForAddress,
  'mail sent': async (scene) => {
    scene.state.rare.set('POST /auth/start', (route) => route.fulfill({ status: 204 }))
    await askForAddress(scene)
    await scene.page.locator('#start-email').fill('ada@kinora.test')
    await scene.page.locator('#start-card').getByRole('button', { name: scene.landing.start.continue }).click()
    await scene.page.getByRole('dialog', { name: scene.landing.start.sentHeading }).waitFor()
  },
}

/** Widths with the languages that are looked at there; in `npm test`, each state is seen once. */
const VIEWS: readonly (readonly [Language, number])[] = FULL
  ? [390, 768, 1280, 1920].flatMap((width) => [['en', width] as const, ['zh', width] as const])
  : [
      ['en', 1280],
      ['zh', 390],
    ]

describeOnSite('every state of the stage', (site) => {
  it.each(VIEWS)('is accessible, fits and stays in place, in %s at %i px', async (language, width) => {
    const [workspace, landing] = await Promise.all([words(language, 'workspace'), words(language, 'landing')])
    const shots: Shot[] = []
    const faults: string[] = []
    const page = await site.visit({ language, width })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    // The header of a member remembers its user. Nothing else is kept.
    await page.addInitScript(() => {
      localStorage.clear()
      if (!location.pathname.endsWith('/workspace')) return
      localStorage.setItem('kinora.user', '{"name":"Ada","email":"ada@kinora.test","credits":900}')
    })
    await observeShifts(page)
    const state = await openDouble(page, site.url, language)
    const { stats, queue } = state
    const open = async (path = '/workspace') => {
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}${path}`)
    }
    const look = async (name: string) => {
      Object.assign(state, { stats, queue: { ...queue }, tasks: [] })
      state.rare.clear()
      state.sockets.length = 0
      await STATES[name]!({ page, state, open, workspace, landing })
      const part = (await page.locator('dialog[open]').count()) > 0 ? 'dialog[open]' : undefined
      faults.push(...(await axeFaults(page, part)).map((fault) => `${name}: ${fault}`))
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      // The landing page is measured by `accessible.e2e.spec.ts`, with the user that its header remembers.
      const shifts = page.url().includes('/workspace') ? await shiftFaults(page) : []
      faults.push(...shifts.map((fault) => `${name}: ${fault}`))
      if (overflow > 0) faults.push(`${name}: ${overflow} px wider than the window`)
      if (process.env.KINORA_PICTURES) shots.push({ name, png: await page.screenshot() })
    }
    const names = Object.keys(STATES)
    for (const [index, name] of names.entries())
      if (FULL || index % VIEWS.length === VIEWS.findIndex(([, at]) => at === width)) await look(name)
    await page.context().close()
    await writeContactSheet(`stage-${language}-${width}`, shots)
    expect(faults).toEqual([])
  })
})
