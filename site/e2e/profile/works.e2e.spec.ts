import type { Page, Route } from 'playwright'
import { expect, it } from 'vitest'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite, type OnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem, taskOf, unreachable } from '../testing/workspaceDouble.ts'

const profileOf = (site: OnSite, language: Language) => `${site.url}${language === 'zh' ? '/zh' : ''}/profile`

/** Waits for a toast and closes it, because toasts stay visible for a while. */
async function sees(page: Page, text: string): Promise<void> {
  const toast = page.locator('.toast').filter({ hasText: text })
  await toast.waitFor()
  await toast.getByRole('button').click()
  await toast.waitFor({ state: 'detached' })
}

const said = (text: string, place: { start: number; end: number; total: number }) =>
  Object.entries(place).reduce((whole, [name, value]) => whole.replace(`{{${name}}}`, String(value)), text)

describeOnSite("a member's works", (site) => {
  it.each(languagesInTurn())('are shown eight at a time, played and deleted (%s)', async (language) => {
    const [texts, { pages }, { action }] = [
      await words(language, 'works'),
      await words(language, 'profile'),
      await words(language, 'common'),
    ]
    const page = await site.visit({ language })
    const { server } = await openMoneyDouble(page, site.url, language)
    server.tasks[0] = taskOf('w1', { prompt: '灯塔'.repeat(20) })
    const queries: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/api/v1/videos/tasks') queries.push(search)
    })
    await page.goto(profileOf(site, language))
    const works = page.locator('.work')
    const section = page.locator('#works')
    await section.getByText(said(texts.shown_other, { start: 1, end: 8, total: 20 })).waitFor()
    expect(queries).toEqual(['?page=1&per_page=8&status_filter=Success'])
    await expect.poll(() => works.count()).toBe(8)
    await expect.poll(() => works.first().locator('h3').textContent()).toBe(`${'灯塔'.repeat(12)}灯…`)
    await expect.poll(() => section.locator('select').count()).toBe(0)

    await section.getByRole('button', { name: pages.next }).click()
    await section.getByText(said(texts.shown_other, { start: 9, end: 16, total: 20 })).waitFor()
    await section.getByLabel(pages.jump).fill('99')
    await page.keyboard.press('Enter')
    await section.getByText(said(texts.shown_other, { start: 17, end: 20, total: 20 })).waitFor()
    await expect.poll(() => works.count()).toBe(4)
    await expect.poll(() => section.getByRole('button', { name: pages.next }).isDisabled()).toBe(true)

    const dialog = page.locator('dialog[open]')
    await works.first().locator('.task-picture').click()
    await expect.poll(() => dialog.locator('video').getAttribute('src')).toBe('/api/v1/videos/preview/w17')
    await page.keyboard.press('Escape')

    const ask = async (answer: string) => {
      await works.first().locator('.icon-button-danger').click()
      await dialog.getByText(texts.delete.text, { exact: true }).waitFor()
      await dialog.getByRole('button', { name: answer, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await ask(action.cancel)
    expect(server.calls.filter((call) => call.startsWith('DELETE'))).toEqual([])
    const refusals: readonly (readonly [(route: Route) => void, string])[] = [
      [problem(403, 'forbidden'), texts.delete.forbidden],
      [problem(500, 'strange'), 'The server says: strange.'],
      [(route) => void route.fulfill({ status: 400, json: {} }), texts.delete.failed],
      [problem(404, 'not_found'), texts.delete.gone],
    ]
    for (const [answer, text] of refusals) {
      server.rare.set('DELETE /videos/tasks', answer)
      await ask(texts.delete.confirm)
      await sees(page, text)
    }
    server.rare.delete('DELETE /videos/tasks')
    await ask(texts.delete.confirm)
    await sees(page, texts.delete.done)
    await section.getByText(said(texts.shown_other, { start: 17, end: 19, total: 19 })).waitFor()
    await page.context().close()
  })

  it.each(languagesInTurn())('explain a loading failure (%s)', async (language) => {
    const [texts, { action }] = [await words(language, 'works'), await words(language, 'common')]
    const page = await site.visit({ language })
    const { server } = await openMoneyDouble(page, site.url, language)
    const section = page.locator('#works')
    const failures = [
      [problem(401, 'unauthenticated'), texts.failure.expired],
      [problem(403, 'forbidden'), texts.failure.forbidden],
      [problem(500, 'internal'), texts.failure.server],
      [problem(502, 'unknown'), texts.failed],
      [unreachable, texts.failed],
    ] as const
    server.rare.set('GET /videos/tasks', failures[0][0])
    await page.goto(profileOf(site, language))
    for (const [answer, text] of failures) {
      server.rare.set('GET /videos/tasks', answer)
      await section.getByRole('button', { name: action.retry }).click()
      await section.getByRole('alert').getByText(text, { exact: true }).waitFor()
      await expect.poll(() => page.locator('.work').count()).toBe(0)
    }
    server.rare.delete('GET /videos/tasks')
    server.tasks = []
    await section.getByRole('button', { name: action.retry }).click()
    await section.getByText(texts.emptyTitle).waitFor()
    await page.context().close()
  })

  it('are counted in the singular if there is one', async () => {
    const { shown_one } = await words('en', 'works')
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    server.tasks = [taskOf('a')]
    await page.goto(profileOf(site, 'en'))
    await page
      .locator('#works')
      .getByText(shown_one.replace(/\{\{\w+\}\}/g, '1'), { exact: true })
      .waitFor()
    await page.context().close()
  })
})
