import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the controls of a film', (site) => {
  it.each(
    sampled([
      ['en', 1280, ''],
      ['zh', 1280, '1'],
      ['zh', 320, ''],
    ] as const),
  )('work by keyboard, in %s at %i px, in theatre view "%s"', async (language, width, theatre) => {
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

  it('mute only films that have sound', async () => {
    const { player } = await words('en', 'common')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('silent'), taskOf('heard')]
    for (const { id } of state.tasks) {
      const body = await film(id === 'heard')
      state.rare.set(`GET /videos/preview/${id}`, (route) => route.fulfill({ body, contentType: 'video/webm' }))
    }
    await page.goto(`${site.url}/workspace`)
    const video = page.locator('video#film')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const play = () =>
      video.evaluate((element: HTMLVideoElement) => {
        const ended = new Promise((resolve) => element.addEventListener('ended', resolve))
        return element.play().then(() => ended.then(() => undefined))
      })
    const isMuted = () => video.evaluate((element: HTMLVideoElement) => element.muted)
    await video.waitFor()
    await play()
    await expect.poll(() => button(player.silent).isDisabled()).toBe(true)
    await expect.poll(() => button(player.sound).count()).toBe(0)
    await page.locator('[data-take="heard"]').click()
    await expect.poll(() => button(player.sound).isEnabled()).toBe(true)
    expect(await isMuted()).toBe(true)
    for (const isHeard of [true, false]) {
      await button(player.sound).click()
      await expect.poll(() => button(player.sound).getAttribute('aria-pressed')).toBe(String(isHeard))
      expect(await isMuted()).toBe(!isHeard)
    }
    await page.context().close()
  })
})

/** Returns a film of a second in a format that every Chromium plays. */
async function film(sound: boolean): Promise<Buffer> {
  const file = path.join(tmpdir(), `kinora-${sound ? 'heard' : 'silent'}-${process.pid}.webm`)
  const tone = ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'libopus']
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=24:duration=1']
  try {
    await runFfmpeg([...picture, ...(sound ? tone : []), '-c:v', 'libvpx', '-deadline', 'realtime', file])
    return await readFile(file)
  } finally {
    await rm(file, { force: true })
  }
}
