import { expect, it } from 'vitest'
import { holdClock } from '../testing/heldClock.ts'
import { openLibraryDouble } from '../testing/libraryDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('a double click', (site) => {
  const open = async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openLibraryDouble(page, { url: site.url, language: 'en', count: 60 })
    await page.goto(`${site.url}/library`)
    const t = await words('en', 'library')
    await page.locator('.library-tile').first().waitFor()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    return { page, state, t, button, tiles: page.locator('.library-tile'), dialog: page.locator('dialog[open]') }
  }

  it('does not reach the video under a dialog whose delete button is double-clicked', async () => {
    const { page, state, t, button, tiles, dialog } = await open()
    const { delete: removal } = await words('en', 'works')
    await button(t.select.start).click()
    await tiles.first().getByRole('checkbox').check()
    await page.getByRole('button', { name: removal.confirm, exact: true }).click()
    const confirm = dialog.locator('.button-danger')
    const { x, y, height } = (await confirm.boundingBox())!
    const position = { x: 10, y: height - 5 }
    const isOverTile = await tiles.evaluateAll(
      (all, [x, y]) =>
        all.some((tile) => {
          const { left, right, top, bottom } = tile.getBoundingClientRect()
          return left < x! && x! < right && top < y! && y! < bottom
        }),
      [x + position.x, y + position.y],
    )
    expect(isOverTile).toBe(true)
    await confirm.dblclick({ position })
    await expect.poll(() => state.sent.get('delete')?.ids).toEqual(['f0'])
    await expect.poll(() => tiles.first().getAttribute('data-task')).toBe('f1')
    await expect.poll(() => page.locator('.library-tile input:checked').count()).toBe(0)
    await page.context().close()
  })

  it('leaves a dialog open that a double click opened', async () => {
    const { page, tiles, dialog } = await open()
    await holdClock(page)
    await tiles
      .first()
      .locator('.library-open')
      .dblclick({ position: { x: 10, y: 10 } })
    await dialog.waitFor()
    await page.clock.runFor(1000)
    await expect.poll(() => dialog.count()).toBe(1)
    await page.context().close()
  })

  it('leaves a dialog open that a double tap opened', async () => {
    const { page, tiles, dialog } = await open()
    await holdClock(page)
    const { x, y } = (await tiles.first().locator('.library-open').boundingBox())!
    const devtools = await page.context().newCDPSession(page)
    for (let taps = 0; taps < 2; taps++) {
      const touchPoints = [{ x: x + 10, y: y + 10 }]
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    await page.clock.runFor(1000)
    await expect.poll(() => dialog.count()).toBe(1)
    await page.context().close()
  })

  it('counts a double click on a toggle as two clicks', async () => {
    const { page, t, button } = await open()
    await button(t.favourites).dblclick()
    await expect.poll(() => button(t.favourites).getAttribute('aria-pressed')).toBe('false')
    await button(t.favourites).click()
    await expect.poll(() => button(t.favourites).getAttribute('aria-pressed')).toBe('true')
    await page.context().close()
  })
})
