import { expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { makeFilm, PROMPT } from './testing/makeFilm.ts'
import { describeOnSite } from './testing/onSite.ts'
import { openDouble, openTask, problem, taskOf } from './testing/workspaceDouble.ts'

describeOnSite('the page of a film', (site) => {
  it.each(
    sampled([
      ['en', 1280, ['30 credits held', 'Remixed', 'Share a public page', 'Download receipt (JSON)']],
      ['zh', 390, ['占用 30 积分', '改编', '下载凭据（JSON）']],
    ] as const),
  )('shows it with its lineage, its receipt and its share (%s)', async (language, width, texts) => {
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const film = await makeFilm(user)
    const order = {
      task_type: 'text_to_video',
      model: film.model,
      prompt: 'A second boat',
      duration: 6,
      resolution: '768P',
    }
    const answer = await user.call('POST', '/videos/generate', { ...order, from: { task_id: film.id, as: 'remix' } })
    const { task } = (await answer.json()) as { task: Task }
    const prefix = language === 'zh' ? '/zh' : ''
    const page = await site.visit({ language, width, user })
    await page.goto(`${site.url}${prefix}/film/${film.id}`)
    await page.locator('h1', { hasText: PROMPT }).waitFor()
    for (const text of texts) await page.getByText(text).first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    const receipt = await page.locator('a[download]').last().getAttribute('href')
    expect(receipt).toBe(`/api/v1/credits/receipts/${film.id}?texts=true`)
    await page.locator('.film-tree a').click()
    await page.waitForURL(`**${prefix}/film/${task.id}`)
    await page.goto(`${site.url}${prefix}/profile/credits`)
    await page.locator('.records-film').first().waitFor()
    await page.locator('.records-receipt').last().click()
    await page.locator('dialog .receipt-events li').first().waitFor()
    await page.context().close()
  })

  it('shows a film as soon as it is finished', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    const id = '019f0000-0000-7000-8000-000000000001'
    state.tasks = [openTask(id, 'Processing')]
    await page.goto(`${site.url}/film/${id}`)
    await page.locator('.film-waiting').waitFor()
    state.rare.set(`GET /videos/tasks/${id}`, problem(503, 'unavailable'))
    const asked = () => state.calls.filter((call) => call === `GET /videos/tasks/${id}`).length
    await expect.poll(asked).toBeGreaterThan(1)
    await page.locator('.film-waiting').waitFor()
    state.rare.delete(`GET /videos/tasks/${id}`)
    state.tasks = [taskOf(id)]
    await page.locator('.film-player').waitFor()
    await page.context().close()
  })

  it('belongs to its owner', async () => {
    const [owner, other] = [await site.newUser(), await site.newUser()]
    const { id } = await makeFilm(owner)
    for (const address of [`/videos/tasks/${id}/lineage`, `/credits/receipts/${id}`])
      expect([403, 404]).toContain((await other.call('GET', address)).status)
    const receipt = await (await owner.call('GET', `/credits/receipts/${id}`)).text()
    expect(receipt).not.toContain(owner.userId)
    expect(receipt).not.toContain(owner.email)
    const page = await site.visit({ language: 'en', user: other })
    await page.goto(`${site.url}/film/${id}`)
    await page.getByText('There is no such film').waitFor()
    await page.context().close()
    const visitor = await site.visit({ language: 'en' })
    await visitor.goto(`${site.url}/film/${id}`)
    expect(visitor.url()).toContain('/auth/login?next=%2Ffilm%2F')
    await visitor.context().close()
  })
})
