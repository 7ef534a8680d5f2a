import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { holdClock } from '../testing/heldClock.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { describeOnSite, type OnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

const LONG =
  'The server will be stopped for maintenance at noon and is back after half an hour. Videos that render go on. '

/** Opens the workspace. `say` sends messages, and `toast` finds their toasts. */
async function open(site: OnSite, page: Page) {
  const state = await openDouble(page, site.url, 'en')
  state.tasks = [taskOf('a')]
  await page.goto(`${site.url}/workspace`)
  await expect.poll(() => state.sockets.length).toBe(1)
  await page.locator('.queue [data-task]').waitFor()
  const toast = (text: string) => page.locator('.toast', { hasText: text })
  const say = async (...messages: string[]) => {
    for (const message of messages) {
      state.sockets[0]!.send(JSON.stringify({ type: 'notification', level: 'info', message }))
      await toast(message).waitFor()
    }
  }
  return { say, toast }
}
const hasFocus = (target: Locator) =>
  expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)

describeOnSite('toasts', (site) => {
  it.each(sampled([390, 1280]))('do not shift the layout when toasts come and go, at %i px', async (width) => {
    const page = await site.visit({ language: 'en', width })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await observeShifts(page)
    const { say, toast } = await open(site, page)
    const top = async (text: string) => (await toast(text).boundingBox())?.y ?? 0
    await say('first')
    const before = await top('first')
    await say(`second ${LONG}`, 'third', 'fourth')
    expect(await top('first')).toBe(before)
    const tops = await Promise.all(['fourth', 'third', 'second', 'first'].map(top))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    // Not by a click, after which shifts are expected.
    await toast('first').evaluate((box) => box.querySelector('button')?.click())
    await expect.poll(() => top('third')).toBeGreaterThan(tops[1]!)
    expect(await shiftFaults(page)).toEqual([])
    await page.context().close()
  })

  it('show only as many toasts as fit into a phone held sideways', async () => {
    const page = await site.visit({ language: 'en', width: 640 })
    await page.setViewportSize({ width: 640, height: 320 })
    const { say, toast } = await open(site, page)
    await say(`first ${LONG}${LONG}`, `second ${LONG}${LONG}`, `third ${LONG}${LONG}`)
    await expect.poll(() => toast('first').count()).toBe(0)
    expect((await toast('third').boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.context().close()
  })

  it.each(sampled([320, 390]))('cover no button of an open dialog, at %i px', async (width) => {
    const page = await site.visit({ language: 'en', width })
    await page.setViewportSize({ width, height: 640 })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const { say, toast } = await open(site, page)
    const dialog = page.locator('dialog[open]')
    /** Returns the buttons of the dialog's head and foot that something covers. */
    const covered = () =>
      dialog.locator(':is(.dialog-head, .dialog-foot) button').evaluateAll((buttons) =>
        buttons
          .filter((button) => {
            const { left, top, width, height } = button.getBoundingClientRect()
            return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
          })
          .map(({ outerHTML }) => outerHTML),
      )
    for (const opener of ['.queue [data-task="a"] .icon-button-danger', '.movements-button']) {
      await say(`first ${LONG}`, `second ${LONG}`, `third ${LONG}`)
      await page.locator(opener).press('Enter')
      await dialog.waitFor()
      await say(`fourth ${LONG}`)
      await expect.poll(async () => [await toast('fourth').count(), await covered()]).toEqual([1, []])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.context().close()
  })

  it('pass the focus of a closed toast to the next one, then back to the page', async () => {
    const { action } = await words('en', 'common')
    const page = await site.visit({ language: 'en' })
    const { say, toast } = await open(site, page)
    await page.locator('#prompt').focus()
    await say('first', 'second')
    const close = (text: string) => toast(text).getByRole('button', { name: action.close })
    // By keys, as far as the page is concerned.
    await page.keyboard.press('Tab')
    await page.locator('#prompt').focus()
    await close('second').press('Enter')
    await hasFocus(close('first'))
    await close('first').press('Enter')
    await hasFocus(page.locator('#prompt'))
    await page.context().close()
  })

  it('keep a toast that has the focus or the pointer', async () => {
    const { action } = await words('en', 'common')
    const page = await site.visit({ language: 'en' })
    await holdClock(page)
    const { say, toast } = await open(site, page)
    await say('first')
    await toast('first').getByRole('button', { name: action.close }).focus()
    await page.clock.runFor(20_000)
    await page.locator('#prompt').focus()
    await toast('first').hover()
    await page.clock.runFor(20_000)
    await expect.poll(() => toast('first').count()).toBe(1)
    await page.mouse.move(10, 10)
    await page.clock.runFor(2_000)
    await expect.poll(() => toast('first').count()).toBe(0)
    await page.context().close()
  })
})
