import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble } from '../testing/workspaceDouble.ts'

describeOnSite('the camera pad', (site) => {
  it.each(
    sampled([
      ['en', 1280],
      ['zh', 320],
    ] as const),
  )('moves the preview by hand and chooses what it is released on, in %s at %i px', async (language, width) => {
    const { form, camera } = await words(language, 'workspace')
    const { name } = await words(language, 'movements')
    const { action } = await words(language, 'common')
    const page = await site.visit({ language, width })
    await openDouble(page, site.url, language)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.locator('#prompt').fill('A ship')
    await page.getByRole('button', { name: form.movements }).click()
    const dialog = page.getByRole('dialog', { name: camera.heading })
    const canvas = dialog.getByRole('img', { name: camera.preview })
    const pixels = () => canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL())
    const isDrawn = () =>
      canvas.evaluate((element: HTMLCanvasElement) => element.getContext('2d')!.getImageData(320, 180, 1, 1).data[3])
    await expect.poll(isDrawn).toBe(255)
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    const chosen = () =>
      dialog
        .locator('[aria-pressed="true"]')
        .evaluateAll((all) => all.map((one) => one.querySelector('strong')!.textContent))

    const resting = await pixels()
    await dialog.getByRole('button', { name: new RegExp(`^${name.panRight}`) }).hover()
    await expect.poll(pixels).not.toBe(resting)
    await dialog.getByText(camera.lead).hover()
    await expect.poll(pixels).toBe(resting)
    await expect.poll(chosen).toEqual([])

    const knob = dialog.locator('.knob-dish').first()
    await knob.scrollIntoViewIfNeeded()
    const { x, y, width: size, height } = (await knob.boundingBox())!
    await page.mouse.move(x + size / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + size - 12, y + 12, { steps: 3 })
    await expect.poll(pixels).not.toBe(resting)
    await page.mouse.up()
    await expect.poll(chosen).toEqual([name.truckRight, name.pedestalUp])
    await dialog.getByRole('button', { name: action.apply }).click()
    const list = [name.truckRight, name.pedestalUp].join(language === 'zh' ? '，' : ', ')
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe(`A ship [${list}]`)
    await page.context().close()
  })
})
