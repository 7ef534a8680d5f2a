import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { chooseInMenu } from '../testing/chooseInMenu.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { filmOf, openLibraryDouble } from '../testing/libraryDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the viewer of the library', (site) => {
  const open = async (language: 'en' | 'zh', { count = 12, width = 1280 } = {}) => {
    const page = await site.visit({ language, width })
    const state = await openLibraryDouble(page, { url: site.url, language, count })
    state.server.rare.set('GET /videos/tasks/f1/lineage', (route) =>
      route.fulfill({ json: { films: [filmOf(1), { ...filmOf(4), made_from: [{ id: 'f1', how: 'join' }] }] } }),
    )
    const address = `${site.url}${language === 'zh' ? '/zh' : ''}/library`
    await page.goto(address)
    await page.locator('.library-tile').first().waitFor()
    return { page, state, address, texts: await words(language, 'library') }
  }
  const show = (page: Page, n: number) => page.locator('.library-open').nth(n).click()
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it.each(languagesInTurn())('fills the window, loops, and names two actions (%s)', async (language) => {
    const { page, texts } = await open(language)
    await show(page, 1)
    await page.locator('.viewer').waitFor()
    expect(await page.locator('.viewer').boundingBox()).toMatchObject({ x: 0, y: 0, width: 1280 })
    const video = page.locator('.viewer video')
    expect(await video.evaluate((film: HTMLVideoElement) => film.loop)).toBe(true)
    expect((await video.boundingBox())!.width).toBeGreaterThan(900)
    await button(page, texts.viewer.extend).waitFor()
    await page.getByRole('heading', { name: texts.lineage.into, exact: true }).waitFor()
    await page.locator('.lineage-film').click()
    await expect.poll(() => video.getAttribute('src')).toContain('/f4')
    await page.context().close()
  })

  it('runs two films in sync, and steps through those that are compared', async () => {
    const { page } = await open('en')
    await show(page, 1)
    await page.locator('.viewer').waitFor()
    await page.keyboard.press('c')
    const sources = () =>
      page.locator('.viewer video').evaluateAll((all) => all.map((one) => one.getAttribute('src')?.slice(-2)))
    await expect.poll(sources).toEqual(['f1', 'f2'])
    await page.keyboard.press('ArrowRight')
    await expect.poll(sources).toEqual(['f1', 'f3'])
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(sources).toEqual(['f1', 'f0'])
    await page.keyboard.press('c')
    await expect.poll(sources).toEqual(['f1'])
    await page.context().close()
  })

  it('opens its menu, moves in it and leaves it by keyboard', async () => {
    const { page, state, texts } = await open('en')
    await show(page, 1)
    await button(page, texts.viewer.more).press('Enter')
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('span')?.textContent)
    const { task } = await words('en', 'workspace')
    expect(await focused()).toBe(task.remix)
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe(task.delete)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('menu').count()).toBe(0)
    await expect.poll(() => page.locator('.viewer').count()).toBe(1)
    await page.keyboard.press('f')
    await expect.poll(() => state.marks).toEqual([{ id: 'f1', favourite: true, folder: null }])
    await page.context().close()
  })

  it('stays closed, or at the next film, when the answer to a sharing arrives', async () => {
    const { page, state, texts } = await open('en')
    state.server.stats = { ...state.server.stats, in_team: true }
    await page.reload()
    for (const leave of ['Escape', 'ArrowRight']) {
      const answer = Promise.withResolvers<void>()
      state.server.rare.set('POST /videos/tasks/f1/visibility', async (route) => {
        await answer.promise
        await route.fulfill({ status: 204 })
      })
      await show(page, 1)
      await chooseInMenu(page, texts.viewer.more, leave === 'Escape' ? texts.share : texts.unshare)
      await page.keyboard.press(leave)
      const shown = leave === 'Escape' ? [] : [expect.stringContaining('/f2')]
      const sources = () =>
        page.locator('.viewer video').evaluateAll((all) => all.map((one) => one.getAttribute('src')))
      await expect.poll(sources).toEqual(shown)
      answer.resolve()
      await page.getByText(leave === 'Escape' ? texts.sharedDone : texts.unsharedDone).waitFor()
      expect(await sources()).toEqual(shown)
    }
    await page.context().close()
  })

  it('offers to load the related films again, as the page of the film does', async () => {
    const { page, state, texts } = await open('en')
    const [{ action }, errors] = [await words('en', 'common'), await words('en', 'errors')]
    const notice = page.locator('.notice', { hasText: errors.unavailable })
    const answer = state.server.rare.get('GET /videos/tasks/f1/lineage')!
    state.server.rare.set('GET /videos/tasks/f1/lineage', problem(503, 'unavailable'))
    await show(page, 1)
    await notice.waitFor()
    state.server.rare.set('GET /videos/tasks/f1/lineage', answer)
    await notice.getByRole('button', { name: action.retry }).click()
    await page.getByRole('heading', { name: texts.lineage.into, exact: true }).waitFor()

    const id = '019f0000-0000-7000-8000-000000000001'
    state.server.tasks = [taskOf(id)]
    state.server.rare.set(`GET /videos/tasks/${id}/lineage`, problem(503, 'unavailable'))
    await page.goto(`${site.url}/film/${id}`)
    await notice.waitFor()
    await expect.poll(() => page.locator('.film-tree-skeleton').count()).toBe(0)
    state.server.rare.set(`GET /videos/tasks/${id}/lineage`, answer)
    await notice.getByRole('button', { name: action.retry }).click()
    await page.locator('.film-tree').first().waitFor()
    await page.context().close()
  })

  it.each(languagesInTurn())('has no axe violation in its states (%s)', async (language) => {
    const { page, texts } = await open(language)
    for (const width of sampled([390, 1280])) {
      await page.setViewportSize({ width, height: 800 })
      await show(page, 1)
      await button(page, texts.viewer.more).click()
      expect([width, await axeFaults(page)]).toEqual([width, []])
      await page.keyboard.press('Escape')
      await page.keyboard.press('c')
      expect([width, await axeFaults(page)]).toEqual([width, []])
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
      await page.keyboard.press('j')
      await page.locator('.join-clip').nth(1).waitFor()
      await button(page, texts.join.add).click()
      expect([width, await axeFaults(page)]).toEqual([width, []])
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
    }
    await page.context().close()
  })
})

describeOnSite('joining clips', (site) => {
  const open = async (language: 'en' | 'zh') => {
    const page = await site.visit({ language })
    const state = await openLibraryDouble(page, { url: site.url, language, count: 6 })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/library`)
    await page.locator('.library-tile').first().waitFor()
    const texts = await words(language, 'library')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const asked: unknown[] = []
    const answerWith = (status: Task['status'], more: Partial<Task> = {}) => {
      const task = taskOf('joined', { task_type: 'join', status, prompt: 'Sea and sky', ...more })
      state.server.rare.set('GET /videos/tasks/joined', (route) => route.fulfill({ json: task }))
      return task
    }
    state.server.rare.set('POST /videos/join', (route) => {
      asked.push(route.request().postDataJSON())
      return route.fulfill({ status: 202, json: { task: answerWith('Processing', { progress: 40 }) } })
    })
    const select = async (...places: number[]) => {
      await button(texts.select.start).click()
      for (const n of places) await page.locator('.library-tile').nth(n).getByRole('checkbox').check()
      await button(texts.join.open).click()
      await page
        .locator('.join-clip')
        .nth(places.length - 1)
        .waitFor()
    }
    return { page, state, texts, button, asked, answerWith, select }
  }

  it.each(languagesInTurn())('orders, trims, fades and names them, and shows the film (%s)', async (language) => {
    const { page, texts, button, asked, answerWith, select } = await open(language)
    await select(2, 4)
    await page.locator('.join-clip').nth(1).getByRole('button').first().click()
    const [, end] = await page.locator('.join-clip').nth(1).getByRole('spinbutton').all()
    await end!.fill('2.5')
    await page.getByRole('combobox', { name: texts.join.fade }).selectOption('0.5')
    await page.getByRole('textbox', { name: texts.join.title, exact: true }).fill('Sea and sky')
    await page.locator('dialog[open] button[type="submit"]').click()
    await page.locator('.join-progress progress').waitFor()
    const [first, second] = [expect.objectContaining({ id: 'f4', start: 0 }), { id: 'f2', start: 0, end: 2.5 }]
    expect(asked).toEqual([{ clips: [first, second], fade: 0.5, title: 'Sea and sky' }])
    answerWith('Success')
    await page.getByText(texts.join.ready.replace('{{title}}', 'Sea and sky')).waitFor()
    await expect.poll(() => page.locator('.join-progress progress').count()).toBe(0)
    void button
    await page.context().close()
  })

  it('says why it failed, and opens the clips that are left', async () => {
    const { page, state, texts, button, answerWith, select } = await open('en')
    await select(0, 1)
    await page.locator('dialog[open] button[type="submit"]').click()
    await page.locator('.join-progress progress').waitFor()
    const made_from = ['f0', 'gone'].map((id) => ({ id, how: 'join' as const, start: 0, end: 3 }))
    answerWith('Fail', { error_code: 'clip_missing', made_from })
    state.server.rare.set('GET /videos/tasks/f0', (route) => route.fulfill({ json: filmOf(0) }))
    state.server.rare.set('GET /videos/tasks/gone', problem(404, 'not_found'))
    await button(texts.join.edit).click()
    await expect.poll(() => page.locator('.join-clip').count()).toBe(1)
    await page
      .locator('dialog[open]')
      .getByText((await words('en', 'errors')).too_few_clips)
      .waitFor()
    await page.context().close()
  })
})

describeOnSite('the command palette', (site) => {
  it.each(languagesInTurn())('finds films, folders, pages and actions by keyboard (%s)', async (language) => {
    const page = await site.visit({ language })
    const state = await openLibraryDouble(page, { url: site.url, language, count: 9 })
    state.marks = [{ id: 'f0', favourite: false, folder: 'Sea' }]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/library`)
    await page.locator('.library-tile').first().waitFor()
    const { palette } = await words(language, 'common')
    const box = page.getByRole('combobox', { name: palette.placeholder })
    await expect
      .poll(async () => {
        if ((await box.count()) === 0) await page.keyboard.press('Control+k')
        return box.count()
      })
      .toBe(1)
    for (const name of [palette.films, palette.folders, palette.pages, palette.actions])
      await page.getByRole('group', { name, exact: true }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await box.fill('nothing like it')
    await page.getByText(palette.none).waitFor()
    await box.fill('fox')
    await page.locator('.palette-option', { hasText: 'fox' }).first().waitFor()
    await box.press('Enter')
    await page.locator('.viewer').waitFor()
    await page.context().close()
  })
})
