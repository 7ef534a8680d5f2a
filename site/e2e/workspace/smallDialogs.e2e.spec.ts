import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { openLibraryDouble } from '../testing/libraryDouble.ts'
import { openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, picture, taskOf } from '../testing/workspaceDouble.ts'

/** Returns what the open dialog cuts off: a title, a button or its right edge. */
const cutOff = (page: Page) =>
  page
    .locator('dialog[open]')
    .last()
    .evaluate((dialog) => {
      const { left, right } = dialog.getBoundingClientRect()
      const isCut = (element: Element) => {
        const box = element.getBoundingClientRect()
        return box.left < left || box.right > right || element.scrollWidth > element.clientWidth + 1
      }
      return [...dialog.querySelectorAll('h2, button, a, kbd')].filter(isCut).map(({ outerHTML }) => outerHTML)
    })

describeOnSite('dialogs on a small phone', (site) => {
  const setTextSize = (page: Page, size: string) =>
    page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), size)

  it.each(languagesInTurn())('show their titles and buttons in full, also with large text (%s)', async (language) => {
    const page = await site.visit({ language, width: 320 })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a'), taskOf('b')]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    const t = await words(language, 'workspace')
    const task = page.locator('[data-task="a"]')
    const dialogs: Record<string, () => Promise<void>> = {
      player: () => task.getByRole('button', { name: t.task.play, exact: true }).last().click(),
      removal: () => task.getByRole('button', { name: t.task.delete, exact: true }).click(),
      movements: () => page.locator('.movements-button').click(),
      keys: () => page.locator('h1').press('?'),
    }
    for (const size of ['100%', '200%'])
      for (const [name, open] of Object.entries(dialogs)) {
        await setTextSize(page, size)
        await open()
        await page.locator('dialog[open]').waitFor()
        expect([name, size, await cutOff(page)]).toEqual([name, size, []])
        if (name === 'player') {
          const tops = page.$$eval('.player-bar .task-actions > *', (all) =>
            all.map((each) => each.getBoundingClientRect().top),
          )
          expect(new Set(await tops).size).toBe(1)
        }
        await page.keyboard.press('Escape')
        await page.locator('dialog[open]').waitFor({ state: 'detached' })
      }
    await page.context().close()
  })

  it.each(languagesInTurn())('of the form, of a plan and of folders do so too (%s)', async (language) => {
    const prefix = `${site.url}${language === 'zh' ? '/zh' : ''}`
    const [t, subscription, library] = await Promise.all(
      ['workspace', 'subscription', 'library'].map((name) => words(language, name)),
    )
    const page = await site.visit({ language, width: 320 })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const look = async (name: string, open: () => Promise<void>) => {
      for (const size of ['100%', '200%']) {
        await setTextSize(page, size)
        await open()
        await page.locator('dialog[open]').first().waitFor()
        expect([name, size, await cutOff(page)]).toEqual([name, size, []])
        while (await page.locator('dialog:not(#drawer)').count()) await page.keyboard.press('Escape')
      }
      await setTextSize(page, '100%')
    }
    const state = await openDouble(page, site.url, language)
    state.tasks = ['a', 'b', 'c', 'd'].map((id) => taskOf(id, { prompt: 'A ship', seed: 1_234_567_890 }))
    await page.goto(`${prefix}/workspace`)
    await look('comparison', () => button(t.compare.heading).click())
    const share = { url: 'https://kinora.test/v/1', show_prompt: true, show_name: true, views: 1234 }
    state.rare.set('GET /videos/tasks/a/share', (route) => route.fulfill({ json: { share } }))
    await look('share', () =>
      page.locator('.queue [data-task="a"]').getByRole('button', { name: t.task.play }).last().click(),
    )
    await page.getByRole('tab', { name: t.form.image }).click()
    const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 480) }
    await page.locator('#first-frame').setInputFiles(file)
    await look('crop', () => button(t.crop.open).click())
    state.stats = { current_tier: 'free', current_status: 'active', remaining_credits: 0, total_credits: 60 }
    await page.reload()
    await look('plans', () => page.locator('#generate-note').getByRole('link', { name: t.form.plans }).click())

    await openMoneyDouble(page, site.url, language)
    await page.goto(`${prefix}/profile/billing`)
    await look('cancellation', () => button(subscription.cancel.open).click())

    await openLibraryDouble(page, { url: site.url, language, count: 3 })
    await page.goto(`${prefix}/library`)
    await look('folders', async () => {
      await page.locator('.library-open').first().press('Enter')
      await page.locator('dialog[open]').getByRole('button', { name: library.viewer.more, exact: true }).press('Enter')
      await page.getByRole('menuitem', { name: library.select.move, exact: true }).press('Enter')
    })
    await page.context().close()
  })

  it('break Chinese titles between words', async () => {
    const page = await site.visit({ language: 'zh', width: 320 })
    await openMoneyDouble(page, site.url, 'zh')
    const [{ delete: deletion }, { cancel }] = await Promise.all(
      ['profile', 'subscription'].map((name) => words('zh', name)),
    )
    const lines = () =>
      page.locator('dialog[open] h2').evaluate((title) => {
        const range = document.createRange()
        const tops = new Map<number, string>()
        const texts = document.createTreeWalker(title, NodeFilter.SHOW_TEXT)
        while (texts.nextNode())
          for (const [at, character] of [...(texts.currentNode as Text).data].entries()) {
            range.setStart(texts.currentNode, at)
            range.setEnd(texts.currentNode, at + 1)
            const { top } = range.getBoundingClientRect()
            tops.set(top, (tops.get(top) ?? '') + character)
          }
        return [...tops.values()]
      })
    for (const [path, opener, expected] of [
      ['settings', deletion.open, ['确定要删除', '账户吗？']],
      ['billing', cancel.open, ['确定要取消', '订阅吗？']],
    ]) {
      await page.goto(`${site.url}/zh/profile/${path}`)
      await page.getByRole('button', { name: opener, exact: true }).click()
      await expect.poll(lines).toEqual(expected)
    }
    await page.context().close()
  })

  it('keep the focused field in sight between their head and their buttons', async () => {
    const page = await site.visit({ language: 'en', width: 320 })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    const codes = Array.from({ length: 10 }, (_, n) => `abcde-fghij-klmn${n}`)
    server.rare.set('POST /users/totp/confirm', (route) => route.fulfill({ json: { recovery_codes: codes } }))
    const setup = {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/x',
      qr: { size: 29, path: 'M0 0h7v7h-7z' },
    }
    server.rare.set('POST /users/totp', (route) => route.fulfill({ json: setup }))
    const { factors } = await words('en', 'profile')
    await page.goto(`${site.url}/profile/security`)
    for (const height of [640, 360]) {
      await page.setViewportSize({ width: 320, height })
      await page.getByRole('button', { name: factors.setUp, exact: true }).click()
      const dialog = page.locator('dialog[open]')
      await dialog.getByLabel(factors.password).fill('correct horse')
      await dialog.getByRole('button', { name: factors.next, exact: true }).click()
      const code = dialog.getByLabel(factors.code)
      await code.focus()
      const isSeen = () =>
        code.evaluate((field) => {
          const { left, top, bottom } = field.getBoundingClientRect()
          return [top + 2, bottom - 2].every((y) => document.elementFromPoint(left + 20, y) === field)
        })
      await expect.poll(isSeen).toBe(true)
      if (height === 640) await page.keyboard.press('Escape')
    }
    await setTextSize(page, '200%')
    await page.keyboard.type('123456\n')
    await page.locator('.factor-codes').waitFor()
    expect(await page.locator('dialog[open]').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    await page.context().close()
  })

  it('show the buttons of a deletion although the prompt is long', async () => {
    const page = await site.visit({ language: 'zh', width: 320 })
    await page.setViewportSize({ width: 320, height: 568 })
    const state = await openDouble(page, site.url, 'zh')
    state.tasks = [taskOf('a', { prompt: '霓虹灯下的东京街头'.repeat(100) })]
    await page.goto(`${site.url}/zh/workspace`)
    await page.locator('.queue [data-task="a"] .icon-button-danger').click()
    const remove = page.locator('dialog[open] .button-danger')
    await expect.poll(() => remove.evaluate((button) => button.getBoundingClientRect().bottom)).toBeLessThan(568)
    const body = page.locator('dialog[open] .excerpt')
    await expect.poll(() => body.evaluate(({ clientHeight }) => clientHeight)).toBeLessThan(100)
    await page.context().close()
  })
})

describeOnSite('a window without height', (site) => {
  it.each(
    sampled([
      ['a phone held sideways', 640, 360, 'static', 'fixed'],
      ['a page at 400 %', 320, 256, 'static', 'static'],
      ['a small phone', 320, 568, 'sticky', 'fixed'],
    ]),
  )('is not filled by bars: %s', async (_, width, height, header, bar) => {
    const page = await site.visit({ language: 'en', width })
    await page.setViewportSize({ width, height })
    await openDouble(page, site.url, 'en')
    await page.goto(`${site.url}/workspace`)
    const position = (part: string) => page.locator(part).evaluate((element) => getComputedStyle(element).position)
    await expect.poll(() => position('.generate-bar')).toBe(bar)
    expect(await position('header.header')).toBe(header)
    await page.context().close()
  })
})
