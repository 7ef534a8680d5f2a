import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble } from '../testing/workspaceDouble.ts'

describeOnSite('the form of the demo', (site) => {
  it.each(languagesInTurn())('says what it draws and what not, without moving, in %s', async (language) => {
    const { demo, form } = await words(language, 'workspace')
    const page = await site.visit({ language })
    const state = await openDouble(page, site.url, language)
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    const examples = page.getByRole('list', { name: demo.examplesLabel, exact: true }).getByRole('button')
    await examples.first().waitFor()
    await expect.poll(() => examples.count()).toBe(12)
    const submit = page.locator('.generate-bar')
    const before = await submit.boundingBox()
    await examples.first().click()
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe(demo.examples.split('|')[0])
    const note = page.locator('.understanding [aria-live="polite"]')
    await expect.poll(() => note.textContent()).toContain(language === 'zh' ? '狐狸' : 'birch forest')
    expect((await submit.boundingBox())?.y).toBe(before?.y)
    expect(state.calls.filter((call) => call === 'POST /videos/understand')).toHaveLength(1)
    const optimizer = page.getByRole('switch')
    await expect.poll(() => optimizer.isDisabled()).toBe(true)
    await page.getByText(form.optimizerIgnored, { exact: true }).waitFor()
    expect(await axeFaults(page, '.generation')).toEqual([])
    await page.context().close()
  })

  it.each(
    sampled([
      ['en', 'A quokka juggles sneakers in a kitchen', '.reading-drawn_as', 'kitchen → room'],
      ['zh', '量子在厨房里漂移', '.reading-missing', '量子、漂移'],
    ] as const),
  )(
    'orders nothing that it cannot draw, and offers three near prompts with pictures, in %s',
    async (language, prompt, line, said) => {
      const reading = await words(language, 'reading')
      const page = await site.visit({ language })
      const state = await openDouble(page, site.url, language)
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
      await page.locator('#prompt').fill(prompt)
      await expect.poll(() => page.locator(`.understanding ${line}`).textContent()).toContain(said)
      const near = page.getByRole('list', { name: reading.near, exact: true }).getByRole('button')
      await expect.poll(() => near.count()).toBe(3)
      const submit = page.locator('.generate-bar [type=submit]')
      await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true')
      await expect.poll(() => page.locator('#generate-note').textContent()).toBe(reading.little)
      expect(await axeFaults(page, '.generation')).toEqual([])
      await near.first().click()
      await expect.poll(() => submit.getAttribute('aria-disabled')).toBeNull()
      expect(state.calls).not.toContain('POST /videos/generate')
      await page.context().close()
    },
  )

  it('shows the whole example that has the focus, and keeps the focus when it is chosen', async () => {
    const { demo } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    await openDouble(page, site.url, 'en')
    await page.goto(`${site.url}/workspace`)
    const list = page.getByRole('list', { name: demo.examplesLabel, exact: true })
    await list.getByRole('button').first().focus()
    await page.keyboard.press('ArrowRight')
    const end = (element: Element) => element.getBoundingClientRect().right
    const edge = await list.evaluate(end)
    await expect.poll(() => list.locator(':focus').evaluate(end)).toBeLessThan(edge + 1)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe(demo.examples.split('|')[1])
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('prompt')
    await page.context().close()
  })
})
