import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

/** More than the elements of any page that take focus. */
const MOST_STEPS = 120

/** Returns how the focused element is hidden, if it is: not shown, out of view, or without a ring. */
function hiddenFocus(): string | undefined {
  const focused = document.activeElement
  if (!focused || focused === document.body) return
  const { width, height, top, bottom } = focused.getBoundingClientRect()
  const seen = width > 0 && height > 0 && bottom > 0 && top < innerHeight
  // The ring may be drawn by the label of an invisible field.
  const drawn = [focused, focused.closest('label'), focused.nextElementSibling, focused.parentElement].some((part) => {
    if (!part) return false
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part)
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
  })
  return seen && drawn ? undefined : `${seen ? 'no ring' : 'out of view'}: ${focused.outerHTML.slice(0, 120)}`
}

const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement)

/** Presses Tab until an element has focus. @throws if it is not reached, or if focus is hidden on the way */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let step = 0; step < MOST_STEPS; step++) {
    if (await isFocused(target)) return
    await page.keyboard.press('Tab')
    expect(await page.evaluate(hiddenFocus)).toBeUndefined()
  }
  throw new Error(`Tab does not reach ${target}`)
}

describeOnSite('with a keyboard alone', (site) => {
  it.each(languagesInTurn('zh'))('makes, plays and downloads a video (%s)', async (language) => {
    const [{ field }, { form, task }, { action }] = await Promise.all(
      ['auth', 'workspace', 'common'].map((name) => words(language, name)),
    )
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language })
    const named = (name: string | RegExp) =>
      page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
    const press = (key: string) => page.keyboard.press(key)
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/auth/login?next=/workspace`)
    await tabTo(page, page.getByLabel(field.email, { exact: true }))
    await page.keyboard.type(user.email)
    await tabTo(page, page.getByLabel(field.password, { exact: true }))
    await page.keyboard.type('correct horse')
    await press('Enter')
    await page.waitForURL('**/workspace')

    const prompt = page.getByRole('textbox', { name: form.prompt, exact: true })
    await tabTo(page, prompt)
    await page.keyboard.type('A lighthouse by the sea at dusk')
    await tabTo(
      page,
      page.getByRole('group', { name: form.duration, exact: true }).getByRole('radio', { checked: true }),
    )
    await press('ArrowRight')
    await press('ArrowLeft')
    const camera = named(new RegExp(`^${form.movements}`))
    await tabTo(page, camera)
    await press('Enter')
    await tabTo(page, page.locator('dialog[open] .movement').nth(8))
    await press('Space')
    await tabTo(page, page.locator('dialog[open]').getByRole('button', { name: action.apply, exact: true }))
    await press('Enter')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(camera)).toBe(true)

    await tabTo(page, named(new RegExp(`^${form.generate}`)))
    await press('Enter')
    const row = page.getByRole('listitem').filter({ hasText: 'A lighthouse by the sea at dusk' })
    const play = row.getByRole('button', { name: task.play, exact: true })
    await play.waitFor()
    await tabTo(page, play)
    await press('Enter')
    const video = page.locator('dialog[open] video')
    await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime)).toBeGreaterThan(0.2)
    await press('Escape')
    await expect.poll(() => isFocused(play)).toBe(true)
    await tabTo(page, row.getByRole('link', { name: task.download, exact: true }))
    const download = page.waitForEvent('download')
    await press('Enter')
    expect((await download).suggestedFilename()).toMatch(/\.mp4$/)
    await page.context().close()
  })

  it('sees what has the focus above the action bar of a phone', async () => {
    const page = await site.visit({ language: 'en', width: 320 })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a'), taskOf('b')]
    await page.goto(`${site.url}/workspace`)
    const last = page.locator('[data-task="b"] .icon-button-danger')
    await last.waitFor()
    const isCovered = () => {
      const { top, bottom } = document.activeElement!.getBoundingClientRect()
      return top < innerHeight && bottom > document.querySelector('.generate-bar')!.getBoundingClientRect().top
    }
    const isInBar = () => document.activeElement!.closest('.generate-bar') !== null
    for (let step = 0; step < MOST_STEPS && !(await isFocused(last)); step++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(isInBar)) continue
      expect([await page.evaluate(isCovered), await page.evaluate(() => document.activeElement!.outerHTML)]).toEqual([
        false,
        expect.anything(),
      ])
    }
    expect(await isFocused(last)).toBe(true)
    await page.context().close()
  })
})
