import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { openLibraryDouble } from './testing/libraryDouble.ts'
import { openMoneyDouble } from './testing/moneyDouble.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'
import { openDouble, openTask, picture, taskOf } from './testing/workspaceDouble.ts'

describeOnSite('at the end of its range, a button keeps the focus', (site) => {
  it('in the pages of a list and in the number of takes', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    server.tasks = Array.from({ length: 12 }, (_, n) => taskOf(`w${n}`))
    const { pages } = await words('en', 'profile')
    const { form } = await words('en', 'workspace')
    const isKept = async (button: Locator) => {
      await button.press('Enter')
      await expect.poll(() => button.isDisabled()).toBe(true)
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    }
    await page.goto(`${site.url}/profile`)
    await isKept(page.locator('#works').getByRole('button', { name: pages.next }))
    await isKept(page.locator('#works').getByRole('button', { name: pages.previous }))
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('button', { name: form.moreTakes }).press('Enter')
    await isKept(page.getByRole('button', { name: form.fewerTakes }))
    await page.context().close()
  })
})

describeOnSite('while it cannot be used, Generate', (site) => {
  it('keeps the focus, says why and orders nothing', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.stats = { current_tier: 'free', current_status: 'active', remaining_credits: 60, total_credits: 60 }
    state.tasks = [openTask('a', 'Processing')]
    await page.goto(`${site.url}/workspace`)
    const generate = page.locator('.generate-line [type="submit"]')
    await page.locator('#prompt').fill('A ship')
    await generate.press('Enter')
    const isKept = async () => {
      await expect.poll(() => generate.isDisabled()).toBe(true)
      await expect.poll(() => generate.getAttribute('aria-describedby')).toBe('generate-note')
      expect(await generate.evaluate((element) => element === document.activeElement)).toBe(true)
    }
    await isKept()
    await generate.press('Enter')
    await page.locator('#prompt').press('Control+Enter')
    await isKept()
    expect(state.orders).toHaveLength(1)
    await page.context().close()
  })
})

describeOnSite('when a list fails to load and then loads, the focus', (site) => {
  it('goes from the pages, and from the button to try again, to the heading', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    server.tasks = Array.from({ length: 12 }, (_, n) => taskOf(`w${n}`))
    const { pages } = await words('en', 'profile')
    const { action } = await words('en', 'common')
    await page.goto(`${site.url}/profile`)
    const next = page.locator('#works').getByRole('button', { name: pages.next })
    await next.waitFor()
    server.rare.set('GET /videos/tasks', (route) => route.abort())
    await next.press('Enter')
    const hasFocus = (target: Locator) =>
      expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)
    await hasFocus(page.locator('#works-heading'))
    server.rare.delete('GET /videos/tasks')
    await page.locator('#works').getByRole('button', { name: action.retry }).press('Enter')
    await next.waitFor()
    await hasFocus(page.locator('#works-heading'))
    await openLibraryDouble(page, { url: site.url, language: 'en', count: 2 })
    let isDown = true
    await page.route('**/api/v1/videos/marks', (route) => (isDown ? route.abort() : route.fallback()))
    await page.goto(`${site.url}/library`)
    const retry = page.getByRole('button', { name: action.retry })
    await retry.waitFor()
    isDown = false
    await retry.press('Enter')
    await retry.waitFor({ state: 'detached' })
    await hasFocus(page.locator('h1'))
    await page.context().close()
  })
})

describeOnSite('after a row is deleted, the focus', (site) => {
  /** Presses a button, and the last one of the dialog that it opens. */
  const confirm = async (page: Page, button: Locator) => {
    await button.press('Enter')
    await page.locator('dialog[open]').last().locator('.button-danger').press('Enter')
  }
  const bin = (row: Locator) => row.locator('.icon-button-danger')
  const hasFocus = (target: Locator) =>
    expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)

  it('moves along the queue, then to its heading', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = ['a', 'b', 'c'].map((id) => taskOf(id))
    await page.goto(`${site.url}/workspace`)
    const row = (id: string) => page.locator(`.queue [data-task="${id}"]`)
    await confirm(page, bin(row('b')))
    await hasFocus(bin(row('c')))
    await confirm(page, bin(row('c')))
    await hasFocus(bin(row('a')))
    await confirm(page, bin(row('a')))
    await hasFocus(page.locator('#queue-heading'))
    await page.context().close()
  })

  it('stays on the stage', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = ['a', 'b'].map((id) => taskOf(id))
    await page.goto(`${site.url}/workspace`)
    const { task } = await words('en', 'workspace')
    const menu = page.locator('.caption').getByRole('button', { name: task.more, exact: true })
    const remove = async () => {
      await menu.press('Enter')
      await confirm(page, page.getByRole('menuitem', { name: task.delete, exact: true }))
    }
    await remove()
    // Until then, the button of the deleted take may have the focus.
    await expect.poll(() => page.locator('.queue [data-task]').count()).toBe(1)
    await hasFocus(menu)
    await remove()
    await hasFocus(page.locator('#stage-heading'))
    await page.context().close()
  })

  it('moves along the works, whether the deletion succeeds or not', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    server.tasks = ['a', 'b'].map((id) => taskOf(id))
    await page.goto(`${site.url}/profile`)
    const row = (id: string) => page.locator(`#works [data-task="${id}"]`)
    server.rare.set('DELETE /videos/tasks', (route) => route.abort())
    await confirm(page, bin(row('a')))
    await page.locator('.toast').waitFor()
    await hasFocus(bin(row('a')))
    server.rare.delete('DELETE /videos/tasks')
    await confirm(page, bin(row('a')))
    await hasFocus(bin(row('b')))
    await page.context().close()
  })

  it('moves along the library, from the player and from a selection', async () => {
    const page = await site.visit({ language: 'en' })
    await openLibraryDouble(page, { url: site.url, language: 'en', count: 5 })
    await page.goto(`${site.url}/library`)
    const open = (id: string) => page.locator(`[data-task="${id}"] .library-open`)
    await open('f1').press('Enter')
    const { select, viewer } = await words('en', 'library')
    await page.getByRole('button', { name: viewer.more, exact: true }).press('Enter')
    await confirm(page, page.getByRole('menuitem', { name: 'Delete', exact: true }))
    await hasFocus(open('f2'))
    await page.getByRole('button', { name: select.start, exact: true }).press('Enter')
    await page.locator('[data-task="f3"] input').press('Space')
    await confirm(page, page.locator('.library-selection').getByRole('button', { name: 'Delete', exact: true }))
    await hasFocus(page.getByRole('button', { name: select.all, exact: true }))
    await page.context().close()
  })

  it('moves along the devices, then to their heading', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    let ids = ['a', 'b', 'c', 'd']
    server.rare.set('GET /users/sessions', (route) =>
      route.fulfill({
        json: {
          sessions: ids.map((id) => ({
            ...{ id, browser: `Browser ${id}`, system: 'Linux', current: id === 'a' },
            last_used_at: '2026-11-21T09:00:00.000Z',
          })),
        },
      }),
    )
    const end = (id: string) => page.locator('.profile-device', { hasText: `Browser ${id}` }).locator('button')
    server.rare.set('DELETE /users/sessions', (route) => {
      ids = ids.filter((id) => !route.request().url().endsWith(`/${id}`) && !route.request().url().endsWith('sessions'))
      return route.fulfill({ json: { message: '' } })
    })
    await page.goto(`${site.url}/profile/security`)
    await end('b').press('Enter')
    await hasFocus(end('c'))
    await end('d').press('Enter')
    await hasFocus(end('c'))
    await end('c').press('Enter')
    await hasFocus(page.locator('#devices h3'))
    await page.context().close()
  })

  it('returns to the field of a first frame', async () => {
    const page = await site.visit({ language: 'en' })
    await openDouble(page, site.url, 'en')
    const { form, image } = await words('en', 'workspace')
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()
    const field = page.locator('input[type="file"]').first()
    await field.setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 360) })
    await page.getByRole('button', { name: image.remove }).press('Enter')
    await hasFocus(field)
    await page.context().close()
  })
})
