import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, picture, problem, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('every state of the workspace', (site) => {
  it.each([
    ['en', 1280],
    ['zh', 390],
  ] as const)('has no axe violation (%s, %i px)', { timeout: 300_000 }, async (language, width) => {
    const [texts, common] = await Promise.all([words(language, 'workspace'), words(language, 'common')])
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    const faults: string[] = []
    const look = async (name: string, part?: string) => {
      faults.push(...(await axeFaults(page, part)).map((fault) => `${name}: ${fault}`))
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (overflow > 0) faults.push(`${name}: ${overflow} px wider than the window`)
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const inRow = (id: string, name: string) =>
      page.locator(`[data-task="${id}"]`).getByRole('button', { name, exact: true })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await button(texts.queue.create).waitFor()
    await look('empty')
    state.tasks = [
      openTask('a', 'Queueing'),
      openTask('b', 'Processing', { progress: 42 }),
      taskOf('c', { camera_movements: ['左移', '固定', '变焦推近'] }),
      openTask('d', 'Fail', { error_code: 'content_refused', credits_consumed: 0 }),
    ]
    state.queue.tasks = [{ id: 'a', position: 3, seconds_left: 340 }]
    await button(texts.queue.refresh).click()
    await inRow('c', texts.task.play).waitFor()
    await look('tasks')
    await page.getByRole('button', { name: texts.form.movements }).click()
    for (const n of [0, 2, 4, 6]) await page.locator('.movement').nth(n).click()
    await look('movements', 'dialog[open]')
    await button(common.action.apply).click()
    for (const [id, name] of [
      ['c', texts.task.play],
      ['c', texts.task.preview],
      ['c', texts.task.delete],
      ['a', texts.task.cancel],
    ] as const) {
      await inRow(id, name).click()
      await page.locator('dialog[open]').waitFor()
      await look(name, 'dialog[open]')
      await page.keyboard.press('Escape')
      expect(await inRow(id, name).evaluate((element) => element === document.activeElement)).toBe(true)
    }
    await page.getByRole('tab', { name: texts.form.image }).click()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 480) })
    await page.getByText(texts.image.ready).waitFor()
    await page.getByRole('radio', { name: 'I2V-01-live' }).locator('..').click()
    await look('a picture and the live model', 'main')
    state.stats = { current_tier: 'free', current_status: 'active', remaining_credits: 0, total_credits: 60 }
    state.rare.set('GET /videos/tasks', problem(500, 'internal'))
    await page.reload()
    await page.getByText(texts.queue.loadFailed).waitFor()
    await look('errors')
    expect(faults).toEqual([])
    await page.context().close()
  })
})
