import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { describeOnBoard } from '../testing/onBoard.ts'
import { words } from '../testing/walkJourney.ts'

const VIDEO = { task_type: 'text_to_video', model: 'MiniMax-Hailuo-02', resolution: '768P', duration: 6 }

describeOnBoard('the settings of the board', (on) => {
  /** Waits until a user can, or cannot, choose the model of {@link VIDEO}. */
  async function expectOffered(isOffered: boolean, language: 'en' | 'zh', user: TestUser): Promise<void> {
    const theirs = await on.site.visit({ language, user })
    const loaded = [/\/videos\/models/, /\/api\/v1\/installation/].map((part) => theirs.waitForResponse(part))
    await theirs.goto(`${on.site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await Promise.all(loaded)
    const group = theirs.getByRole('group', { name: (await words(language, 'workspace')).form.model })
    await expect.poll(async () => (await group.textContent())?.includes(VIDEO.model)).toBe(isOffered)
    await theirs.context().close()
  }

  it.each(languagesInTurn())('change what users may do, and what every page says (%s)', async (language) => {
    const prefix = language === 'zh' ? '/zh' : ''
    const user = await on.site.newUser()
    await user.call('PUT', '/users/language', { language })
    const refused = async (prompt: string) => {
      const answer = await user.call('POST', '/videos/generate', { ...VIDEO, prompt })
      return answer.status === 202 ? 'ordered' : ((await answer.json()) as { code: string }).code
    }
    const page = await on.visit(language)
    const t = (await words(language, 'dashboard')).control
    const visit = await on.site.visit({ language })
    await observeShifts(visit)

    await page.goto(`${on.site.url}${prefix}/admin/dashboard#control`)
    const save = async (reason: string) => {
      await page.getByLabel(t.reason).fill(reason)
      await page.getByRole('button', { name: t.save }).click()
      await page.getByText(reason).waitFor()
    }
    const banner = { en: 'We move on Sunday <b>.', zh: '周日迁移 <b>。' }
    await page.getByLabel(t.bannerEn).fill(banner.en)
    await page.getByLabel(t.bannerZh).fill(banner.zh)
    await page.getByLabel(t.users, { exact: true }).fill('12K+')
    await page.getByLabel(t.videos).fill('60K+')
    await page.getByLabel(t.satisfaction).fill('98%')
    await page.getByLabel(t.availability).fill('99.95%')
    await page.getByLabel(t.words).fill('gore\n\n 血腥 ')
    await save(`a first change (${language})`)
    expect(await refused('gore')).toBe('words_blocked')
    expect(await refused('很血腥')).toBe('words_blocked')
    await visit.goto(`${on.site.url}${prefix}/`)
    await visit.getByRole('status').getByText(banner[language]).waitFor()
    await visit.locator('.figures').getByText('12K+').waitFor()
    expect(await axeFaults(visit)).toEqual([])
    expect(await shiftFaults(visit)).toEqual([])

    const rested = page.getByRole('checkbox', { name: VIDEO.model })
    await rested.check()
    await save(`a model that rests (${language})`)
    await expect.poll(() => refused('A cat')).toBe('model_paused')
    await expectOffered(false, language, user)
    await rested.uncheck()
    await save(`a model that works (${language})`)
    await expectOffered(true, language, user)

    const pause = () => page.getByRole('checkbox', { name: new RegExp(`^${t.generation}`) })
    await pause().check()
    await save(`a second change (${language})`)
    await expect.poll(() => refused('A cat')).toBe('generation_paused')
    await expect.poll(() => page.getByLabel(t.words).inputValue()).toBe('gore\n血腥')
    for (const width of sampled([390, 1280, 1680])) {
      await page.setViewportSize({ width, height: 1080 })
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }

    await pause().uncheck()
    for (const field of [t.bannerEn, t.bannerZh, t.words, t.videos, t.satisfaction, t.availability])
      await page.getByLabel(field).fill('')
    await page.getByLabel(t.users, { exact: true }).fill('')
    await save(`a third change (${language})`)
    await expect.poll(() => refused('A cat')).toBe('ordered')
    await page.getByRole('button', { name: t.save }).click()
    await page.getByLabel(t.reason).fill('again')
    await page.getByRole('button', { name: t.save }).click()
    await page.getByText(t.nothing).waitFor()
    await visit.context().close()
    await page.context().close()
  })
})
