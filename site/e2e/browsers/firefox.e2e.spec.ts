import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registerUser } from '#backend/testing/testUser.ts'
import { readablePages } from '../testing/builtPages.ts'
import { type Firefox, firefoxPath, launchFirefox } from '../testing/firefox.ts'
import { PROMPT } from '../testing/makeFilm.ts'
import { sharedSite } from '../testing/onSite.ts'

const program = firefoxPath()
const lacks = program ? '' : ' (no Firefox here)'

describe.skipIf(lacks)(`in Firefox${lacks}`, () => {
  let firefox: Firefox
  let url: string
  beforeEach(async () => {
    url = (await sharedSite()).url
    firefox = await launchFirefox(program!)
  })
  afterEach(() => firefox?.close())

  it('public pages fit a width of 320 pixels and log no error', async () => {
    await firefox.resize(320)
    const wide: string[] = []
    for (const page of readablePages()) {
      await firefox.goto(url + page)
      const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
      if ((await firefox.evaluate(overflow)) > 0) wide.push(page)
    }
    expect(wide).toEqual([])
    expect(firefox.faults).toEqual([])
  })

  it('a user signs in, makes a video and watches it', async () => {
    const { email } = await registerUser(url)
    await firefox.resize(1280)
    await firefox.goto(`${url}/auth/login?next=/workspace`)
    await firefox.click('main [type="email"]')
    await firefox.type(email)
    await firefox.click('main [type="password"]')
    await firefox.type('correct horse\uE007')
    await expect.poll(() => firefox.evaluate(() => location.pathname)).toBe('/workspace')
    await expect.poll(() => firefox.evaluate(() => document.querySelector('#prompt') !== null)).toBe(true)
    await firefox.click('#prompt')
    await firefox.type(PROMPT)
    await firefox.click('.generate-line [type="submit"]')
    const isReady = () => document.querySelector('[data-task][data-status="Success"]') !== null
    await expect.poll(() => firefox.evaluate(isReady)).toBe(true)
    await firefox.goto(`${url}/library`)
    await expect.poll(() => firefox.evaluate(() => document.querySelector('.library-tile button') !== null)).toBe(true)
    await firefox.click('.library-tile button')
    const position = () => document.querySelector<HTMLVideoElement>('dialog video')?.currentTime
    await expect.poll(() => firefox.evaluate(position)).toBeGreaterThan(0.5)
    expect(firefox.faults).toEqual([])
  })
})
