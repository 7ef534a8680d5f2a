import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { modelView } from '#backend/tasks/catalogue/modelView.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { chooseInMenu } from '../testing/chooseInMenu.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { filmOf, openLibraryDouble } from '../testing/libraryDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem } from '../testing/workspaceDouble.ts'

const filled = (text: string, values: object) =>
  Object.entries(values).reduce((whole, [name, value]) => whole.replace(`{{${name}}}`, String(value)), text)

/** Chooses an action of the menu by its name. */
describeOnSite('the library', (site) => {
  const open = async (language: 'en' | 'zh', count: number) => {
    const page = await site.visit({ language })
    await observeShifts(page)
    const state = await openLibraryDouble(page, { url: site.url, language, count })
    const address = `${site.url}${language === 'zh' ? '/zh' : ''}/library`
    await page.goto(address)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const texts = await words(language, 'library')
    return { page, state, address, button, texts, tiles: page.locator('.library-tile') }
  }
  const bottom = (page: Page) => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))

  it.each(languagesInTurn())('loads while it scrolls, and keeps few tiles (%s)', async (language) => {
    const { page, state, tiles } = await open(language, 400)
    await tiles.first().waitFor()
    expect(state.queries.map((query) => query.get('page'))).toEqual(['1'])
    const isAtEnd = () => bottom(page).then(() => page.locator('[data-task="f399"]').count())
    await expect.poll(isAtEnd).toBe(1)
    expect(state.queries.map((query) => query.get('page'))).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    await expect.poll(() => tiles.count()).toBeLessThan(90)
    expect(await shiftFaults(page)).toEqual([])
    await page.context().close()
  })

  it.each(languagesInTurn())('searches, filters and files videos (%s)', async (language) => {
    const { page, state, button, texts, tiles } = await open(language, 30)
    const last = () => state.queries.at(-1)!
    await tiles.first().hover()
    await tiles.first().locator('video').waitFor()
    await page.getByRole('searchbox').fill(' fox ')
    await page.getByText(filled(texts.count_other, { count: 5 }), { exact: true }).waitFor()
    expect(last().get('q')).toBe('fox')
    await page.getByRole('searchbox').fill('unicorn')
    await button(texts.clear).click()
    await page.getByText(filled(texts.count_other, { count: 30 }), { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')

    await button(texts.type.image).click()
    await page.getByRole('combobox', { name: texts.model }).selectOption({ index: 1 })
    await page.getByRole('combobox', { name: texts.date }).selectOption('7')
    await expect
      .poll(() => Object.fromEntries(last()))
      .toMatchObject({ task_type: 'image_to_video', model: expect.anything(), from: expect.anything() })
    await button(texts.type.all).click()

    await tiles.nth(1).hover()
    await tiles.nth(1).locator('.library-heart').click()
    await expect.poll(() => state.marks).toEqual([{ id: 'f1', favourite: true, folder: null }])
    await button(texts.favourites).click()
    await expect.poll(() => tiles.count()).toBe(1)
    await button(texts.favourites).click()
    await expect.poll(() => tiles.count()).toBeGreaterThan(5)

    await button(texts.select.start).click()
    for (const n of [0, 2]) await tiles.nth(n).getByRole('checkbox').check()
    await button(texts.select.move).click()
    await page.locator('dialog[open] .input').fill('Sea')
    await button(texts.moveHere).click()
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    expect(state.sent.get('marks')).toEqual({ ids: ['f0', 'f2'], folder: 'Sea' })
    await page.getByRole('combobox', { name: texts.folder }).selectOption('Sea')
    await expect.poll(() => tiles.count()).toBe(2)
    await page.context().close()
  })

  it.each(languagesInTurn('zh'))('downloads and deletes many videos (%s)', async (language) => {
    const { page, state, button, texts, tiles } = await open(language, 150)
    const { delete: removal } = await words(language, 'works')
    state.server.rare.set('HEAD /videos/archive', (route) => route.fulfill({ status: 200 }))
    await button(texts.select.start).click()
    for (const n of [1, 3]) await tiles.nth(n).getByRole('checkbox').check()
    const download = page.waitForEvent('download')
    await button(texts.select.download).click()
    expect((await download).url()).toBe(`${site.url}/api/v1/videos/archive?ids=f1%2Cf3`)
    await button(removal.confirm).first().click()
    await page.locator('dialog[open]').getByText(texts.deleteDownload).waitFor()
    await page.locator('dialog[open]').getByRole('button', { name: removal.confirm, exact: true }).click()
    await page.getByText(filled(texts.deleted_other, { count: 2 })).waitFor()
    expect(state.sent.get('delete')).toEqual({ ids: ['f1', 'f3'] })
    await expect.poll(() => page.locator('[data-task="f1"], [data-task="f3"]').count()).toBe(0)
    await page.context().close()
  })

  it.each(languagesInTurn())('plays videos in turn, and hands them to the workspace (%s)', async (language) => {
    const { page, state, texts, tiles } = await open(language, 12)
    const { task } = await words(language, 'workspace')
    await tiles.nth(1).locator('.library-open').click()
    const source = () => page.locator('dialog[open] video').getAttribute('src')
    await expect.poll(source).toContain('/f1')
    await page.getByRole('button', { name: task.next, exact: true }).press('ArrowRight')
    await expect.poll(source).toContain('/f2')
    await chooseInMenu(page, texts.viewer.more, task.remix)
    await page.waitForURL('**/workspace')
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe('A lighthouse by the sea 2')
    expect(state.server.orders).toEqual([])
    await page.context().close()
  })

  it('orders a video again at the price that its button showed', async () => {
    const { page, state, button, texts, tiles } = await open('en', 1)
    await tiles.first().locator('.library-open').click()
    const again = button(filled(texts.viewer.again_other, { count: 30 }))
    await again.waitFor()
    const models = shippedModels('demo').map((model) => modelView(model, false))
    const json = models.map((model) => ({ ...model, costs: model.costs.map((cost) => ({ ...cost, credits: 90 })) }))
    state.server.rare.set('GET /videos/models', (route) => route.fulfill({ json }))
    await again.click()
    await expect.poll(() => state.server.orders).toMatchObject([{ expected_credits: 30 }])
    await page.context().close()
  })

  it('keeps the space before the next word of a search', async () => {
    const { page, state } = await open('en', 30)
    const box = page.getByRole('searchbox')
    await box.fill('red ')
    await expect.poll(() => state.queries.at(-1)?.get('q')).toBe('red')
    await box.press('End')
    await box.pressSequentially('fox')
    await expect.poll(() => state.queries.at(-1)?.get('q')).toBe('red fox')
    await page.context().close()
  })

  it('keeps playing the next video while the one before is deleted', async () => {
    const { page, state, button, texts, tiles } = await open('en', 12)
    const [{ task }, { delete: removal }] = [await words('en', 'workspace'), await words('en', 'works')]
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const remove = state.server.rare.get('POST /videos/delete')!
    state.server.rare.set('POST /videos/delete', (route) => void answered.then(() => remove(route)))
    await tiles.nth(1).locator('.library-open').click()
    await chooseInMenu(page, texts.viewer.more, task.delete)
    await button(removal.confirm).last().click()
    await button(task.next).click()
    answer()
    await page.getByText(filled(texts.deleted_one, { count: 1 })).waitFor()
    await expect.poll(() => page.locator('[data-task="f1"]').count()).toBe(0)
    await expect.poll(() => page.locator('dialog[open] video').getAttribute('src')).toContain('/f2')
    await page.context().close()
  })

  it('keeps playing a video that could not be deleted', async () => {
    const { page, state, button, texts, tiles } = await open('en', 3)
    const [{ task }, { delete: removal }] = [await words('en', 'workspace'), await words('en', 'works')]
    state.server.rare.set('POST /videos/delete', problem(500, 'internal'))
    await tiles.nth(1).locator('.library-open').click()
    await chooseInMenu(page, texts.viewer.more, task.delete)
    await button(removal.confirm).last().click()
    await page.getByText((await words('en', 'errors')).internal).waitFor()
    await expect.poll(() => page.locator('dialog[open] video').count()).toBe(1)
    await page.context().close()
  })

  it('says what is wrong and offers a way on', async () => {
    const { page, state, button, texts, tiles } = await open('en', 0)
    const { action } = await words('en', 'common')
    await page.getByText((await words('en', 'works')).emptyTitle).waitFor()
    const works = state.server.rare.get('GET /videos/my-works')!
    state.server.rare.set('GET /videos/my-works', problem(500, 'internal'))
    await page.reload()
    await page.getByRole('alert').waitFor()
    state.server.rare.set('GET /videos/my-works', works)
    state.server.tasks = Array.from({ length: 90 }, (_, n) => filmOf(n))
    await button(action.retry).click()
    await tiles.first().waitFor()
    const marks = state.server.rare.get('GET /videos/marks')!
    state.server.rare.set('GET /videos/marks', problem(500, 'internal'))
    await page.reload()
    await page.getByText(texts.marksFailed).waitFor()
    state.server.rare.set('GET /videos/marks', marks)
    state.marks = [{ id: 'f0', favourite: true, folder: 'Best' }]
    await button(action.retry).click()
    await page.getByRole('combobox', { name: texts.folder }).waitFor()
    await expect.poll(() => page.getByText(texts.marksFailed).count()).toBe(0)
    state.server.rare.set('GET /videos/my-works', problem(500, 'internal'))
    await bottom(page)
    await page.getByText(texts.stuck).waitFor()
    state.server.rare.set('GET /videos/my-works', works)
    await button(action.retry).click()
    await expect.poll(() => page.locator('[data-task="f89"]').count()).toBe(1)
    await page.context().close()
  })

  it.each(languagesInTurn())('fits every width without an axe violation (%s)', async (language) => {
    const { page, state, button, texts, tiles } = await open(language, 40)
    state.marks = [{ id: 'f0', favourite: false, folder: 'Folder'.repeat(9) }]
    await page.reload()
    await tiles.first().waitFor()
    await button(texts.select.start).click()
    await tiles.first().getByRole('checkbox').check()
    for (const width of sampled([320, 390, 768, 1280, 1920], 2)) {
      await page.setViewportSize({ width, height: 860 })
      await page.waitForFunction(() => document.querySelector('.library-tile'))
      const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      expect([width, scrolls]).toEqual([width, false])
      if (width === 390 || width === 1280) expect(await axeFaults(page)).toEqual([])
    }
    await button(texts.select.stop).click()
    expect(await axeFaults(page)).toEqual([])
    await page.context().close()
  })

  it.each(languagesInTurn())('keeps its filters in even lines on the smallest phones (%s)', async (language) => {
    const { page, texts, tiles } = await open(language, 1_000)
    await page.setViewportSize({ width: 320, height: 640 })
    await tiles.first().waitFor()
    await page.getByText(texts.count_other.replace('{{count}}', '1,000')).waitFor()
    const boxes = () =>
      page.locator('.library-bar > *').evaluateAll((parts) =>
        parts.map((part) => {
          const { top, height } = part.getBoundingClientRect()
          return { top, height }
        }),
      )
    await expect.poll(async () => Math.max(...(await boxes()).map(({ height }) => height))).toBeLessThan(60)
    expect(new Set((await boxes()).map(({ top }) => top)).size).toBe(4)
    await page.context().close()
  })

  it('shows its shape until its script is there', async () => {
    const page = await site.visit({ language: 'en', width: 390 })
    await openLibraryDouble(page, { url: site.url, language: 'en', count: 1 })
    await page.route('**/_astro/*.js', (route) => route.abort())
    await page.goto(`${site.url}/library`, { waitUntil: 'domcontentloaded' })
    await page.locator('.library-skeleton .skeleton').first().waitFor()
    await page.context().close()
  })
})
