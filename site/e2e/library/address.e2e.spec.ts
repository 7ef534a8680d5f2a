import { expect, it } from 'vitest'
import { openLibraryDouble } from '../testing/libraryDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('the address of the library', (site) => {
  const open = async (search: string) => {
    const page = await site.visit({ language: 'en' })
    const state = await openLibraryDouble(page, { url: site.url, language: 'en', count: 30 })
    await page.goto(`${site.url}/library${search}`)
    await page.locator('.library-bar').waitFor()
    const t = await words('en', 'library')
    const address = () => page.url().slice(`${site.url}/library`.length)
    const box = (name: string) => page.getByRole('combobox', { name, exact: true })
    return { page, state, t, address, box, last: () => Object.fromEntries(state.queries.at(-1) ?? []) }
  }

  it('keeps the search and the filters over a reload and Back', async () => {
    const { page, state, t, address, box, last } = await open('')
    state.marks = [{ id: 'f0', favourite: true, folder: 'Sea' }]
    await page.reload()
    await page.getByRole('searchbox').fill('fox')
    await expect.poll(address).toBe('?q=fox')
    await box(t.folder).selectOption('Sea')
    await box(t.date).selectOption('7')
    await page.getByRole('button', { name: t.favourites, exact: true }).click()
    await expect.poll(address).toBe('?q=fox&favourites=true&folder=Sea&days=7')
    for (const leave of [() => page.reload(), () => page.goto(`${site.url}/faq`).then(() => page.goBack())]) {
      state.queries.length = 0
      await leave()
      await expect.poll(last).toMatchObject({ q: 'fox', favourites: 'true', folder: 'Sea', from: expect.anything() })
      await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('fox')
      await expect.poll(() => box(t.date).inputValue()).toBe('7')
      await expect.poll(() => box(t.folder).inputValue()).toBe('Sea')
      await expect.poll(() => page.locator('.library-tile').count()).toBe(1)
    }
    await page.context().close()
  })

  it('names a folder and a model that are gone, and ignores bad values', async () => {
    const { page, t, address, box, last } = await open('?folder=Gone&model=Old-1&days=8&task_type=poem')
    await page.getByText(t.noMatch).waitFor()
    await expect.poll(() => box(t.folder).inputValue()).toBe('Gone')
    await expect.poll(() => box(t.model).inputValue()).toBe('Old-1')
    expect(last()).toEqual({ page: '1', per_page: '60', folder: 'Gone', model: 'Old-1' })
    await page.getByRole('button', { name: t.clear, exact: true }).click()
    await expect.poll(address).toBe('')
    await expect.poll(() => page.locator('.library-tile').count()).toBeGreaterThan(5)
    await page.context().close()
  })
})
