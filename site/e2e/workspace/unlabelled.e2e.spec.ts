import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, problem, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the player', (site) => {
  const openPlayer = async (language: 'en' | 'zh') => {
    const texts = await words(language, 'workspace')
    const page = await site.visit({ language })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a')]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: texts.task.play, exact: true }).click()
    await page.getByText(texts.task.source.trainedAlgorithmicMedia).waitFor()
    return { page, state, texts, button: (name: string) => page.getByRole('button', { name, exact: true }) }
  }

  it('downloads a video without the label after the user has accepted the responsibility', async () => {
    const { page, state, texts, button } = await openPlayer('zh')
    const accepted: unknown[] = []
    state.rare.set('POST /videos/tasks/a/unlabelled', async (route) => {
      accepted.push(route.request().postDataJSON())
      await route.fulfill({ status: 204 })
    })
    await button(texts.label.without).click()
    await page.getByText(texts.label.record).waitFor()
    expect(await axeFaults(page, 'dialog[open] dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByText(texts.label.record).waitFor({ state: 'detached' })
    expect([accepted, await page.getByText(texts.task.source.trainedAlgorithmicMedia).isVisible()]).toEqual([[], true])
    await button(texts.label.without).click()
    const asked = page.waitForRequest((request) => request.url().endsWith('/videos/download/a?label=false'))
    state.rare.set('HEAD /videos/download/a', problem(500, 'internal'))
    await button(texts.label.accept).click()
    expect((await asked).method()).toBe('HEAD')
    await page.getByText(texts.label.record).waitFor({ state: 'detached' })
    expect(accepted).toEqual([{ accepted: true }])
    await page.context().close()
  })

  it('offers that only where downloads have the label', async () => {
    const { page, state, texts, button } = await openPlayer('en')
    await expect.poll(() => state.calls.filter((call) => call === 'GET /status').length).toBeGreaterThan(0)
    await expect.poll(() => button(texts.label.without).count()).toBe(0)
    state.rare.set('GET /status', (route) =>
      route.fulfill({ json: { demo_renderer: true, support_email: '', video_label: 'always' } }),
    )
    await page.reload()
    await page.locator('[data-task="a"]').getByRole('button', { name: texts.task.play, exact: true }).click()
    await button(texts.label.without).waitFor()
    await page.context().close()
  })
})
