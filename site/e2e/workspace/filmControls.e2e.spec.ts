import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the controls of a film', (site) => {
  it.each([
    ['en', 1280, ''],
    ['zh', 1280, '1'],
    ['zh', 320, ''],
  ] as const)('work by keyboard, in %s at %i px, in theatre view "%s"', async (language, width, theatre) => {
    const { player } = await words(language, 'common')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a')]
    await page.addInitScript((on) => localStorage.setItem('kinora.theatre', on), theatre)
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    const controls = page.getByRole('group', { name: player.label, exact: true })
    const button = (name: string) => controls.getByRole('button', { name, exact: true })
    // A film that does not play shows a big button, too.
    await expect.poll(() => page.locator('.film-play').count()).toBe(1)
    await button(player.loop).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => button(player.loop).getAttribute('aria-pressed')).toBe('true')
    const video = page.locator('video#film')
    expect(await video.evaluate((film: HTMLVideoElement) => film.loop)).toBe(true)
    await controls.getByRole('combobox', { name: player.speed }).selectOption('0.5')
    await expect.poll(() => video.evaluate((film: HTMLVideoElement) => film.playbackRate)).toBe(0.5)
    for (const name of [player.back, player.forward, player.fullScreen, player.silent])
      await expect.poll(() => button(name).count()).toBe(1)
    await expect.poll(() => controls.getByRole('slider', { name: player.position }).count()).toBe(1)
    expect(await controls.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await axeFaults(page, '.film')).toEqual([])
    await page.reload()
    await expect.poll(() => button(player.loop).getAttribute('aria-pressed')).toBe('true')
    await page.context().close()
  })
})
