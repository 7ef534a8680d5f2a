import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { wholeChromiumPath } from '../testing/chromium.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeInBrowser, type OnSite, sharedSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

/** A subscription as a push service makes it. Chromium's own service needs the internet. */
const SUBSCRIPTION = {
  endpoint: 'https://push.example/one',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
}

/** Lets the push service hand a message to the worker of a page. */
async function deliver(page: Page, origin: string, message: object): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const found = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const live = registrations.findLast(({ isDeleted, scopeURL }) => !isDeleted && scopeURL.startsWith(origin))
      if (live) resolve(live.registrationId)
    }),
  )
  await devtools.send('ServiceWorker.enable')
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin,
    registrationId: await found,
    data: JSON.stringify(message),
  })
  await devtools.detach()
}

function tests(site: OnSite): void {
  it.each(languagesInTurn())('is told in a browser that a video is done (%s)', async (language) => {
    const { notices } = await words(language, 'profile')
    const { done } = await words(language, 'notices')
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user })
    await page.context().grantPermissions(['notifications'], { origin: site.url })
    await page.addInitScript((subscription) => {
      PushManager.prototype.subscribe = async () => ({ toJSON: () => subscription }) as unknown as PushSubscription
      PushManager.prototype.getSubscription = async () => null
    }, SUBSCRIPTION)
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/profile/settings`)
    const choice = page.getByRole('switch', { name: notices.push })
    await choice.click()
    await expect.poll(() => choice.isChecked()).toBe(true)
    const read = async () =>
      (await (await user.call('GET', '/users/notices')).json()) as { push: boolean; mail: boolean }
    expect(await read()).toMatchObject({ push: true, mail: false })

    const shown = () =>
      page.evaluate(async () => {
        const worker = await navigator.serviceWorker.ready
        return (await worker.getNotifications()).map(({ title, body }) => ({ title, body }))
      })
    // On a busy machine, a single message was not shown in 15 s. A message replaces the one before with its tag.
    const deliverAgain = async () => {
      await deliver(page, site.url, { ...done, path: '/library', tag: 'video 1' })
      return shown()
    }
    await expect.poll(deliverAgain, { interval: 1_000 }).toEqual([done])

    await choice.click()
    await page.getByRole('switch', { name: notices.mail }).click()
    await expect.poll(read).toMatchObject({ push: false, mail: true })
    await page.context().close()
  })

  it.each(languagesInTurn('zh'))(
    'sees why notices cannot be shown, and turns them on where they can (%s)',
    async (language) => {
      const { notices } = await words(language, 'profile')
      const user = await site.newUser()
      await user.call('PUT', '/users/language', { language })
      const address = `${site.url}${language === 'zh' ? '/zh' : ''}/profile/settings`
      /** Opens the settings in a browser with a permission, or without push messages. */
      const open = async (permission: NotificationPermission | 'missing', answer?: NotificationPermission) => {
        const page = await site.visit({ language, user })
        await page.addInitScript(
          ([now, later, subscription]) => {
            if (now === 'missing') return void Reflect.deleteProperty(window, 'PushManager')
            let state = now
            Object.defineProperty(Notification, 'permission', { get: () => state })
            Notification.requestPermission = async () => {
              state = later ?? now
              return state
            }
            PushManager.prototype.subscribe = async () =>
              ({ toJSON: () => subscription }) as unknown as PushSubscription
          },
          [permission, answer, SUBSCRIPTION] as const,
        )
        await page.goto(address)
        const choice = page.getByRole('switch', { name: notices.push })
        await expect.poll(() => page.getByRole('switch', { name: notices.mail }).isEnabled()).toBe(true)
        return { page, choice, hint: page.locator('#notice-push-hint') }
      }
      for (const [state, text] of sampled([
        ['missing', notices.pushMissing],
        ['denied', notices.pushBlocked],
      ] as const)) {
        const { page, choice, hint } = await open(state)
        expect([await hint.textContent(), await choice.isDisabled(), await choice.isChecked()]).toEqual([
          text,
          true,
          false,
        ])
        expect(await axeFaults(page, '#notices')).toEqual([])
        await page.context().close()
      }

      const refused = await open('default', 'denied')
      await refused.choice.click()
      await refused.page.locator('.toast', { hasText: notices.pushFailed }).waitFor()
      await expect.poll(() => refused.hint.textContent()).toBe(notices.pushBlocked)
      await refused.page.context().close()

      const allowed = await open('default', 'granted')
      expect([await allowed.hint.textContent(), await allowed.choice.isChecked()]).toEqual([notices.pushHint, false])
      await allowed.choice.click()
      await expect.poll(() => allowed.choice.isChecked()).toBe(true)
      await allowed.page.context().close()
      const later = await open('granted')
      await expect.poll(() => later.choice.isChecked()).toBe(true)
      await later.page.context().close()
      // Allowed once, and blocked in the browser since.
      const blocked = await open('denied')
      await expect.poll(() => blocked.choice.isChecked()).toBe(false)
      await blocked.page.context().close()
    },
  )

  it('can load the settings again after a failure', async () => {
    const [{ notices }, { action }] = [await words('en', 'profile'), await words('en', 'common')]
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    await page.route('**/users/notices', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 })
    await page.goto(`${site.url}/profile/settings`)
    await page.locator('#notices').getByText(notices.failed).waitFor()
    await page.locator('#notices').getByRole('button', { name: action.retry }).click()
    await expect.poll(() => page.getByRole('switch', { name: notices.mail }).isEnabled()).toBe(true)
    await expect.poll(() => page.locator('#notices .notice').count()).toBe(0)
    await page.context().close()
  })

  it.each(languagesInTurn())('can install Kinora as an app (%s)', async (language) => {
    const page = await site.visit({ language })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/faq`)
    const devtools = await page.context().newCDPSession(page)
    const { url, errors, data } = await devtools.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const manifest = JSON.parse(data!) as { lang: string; start_url: string; id: string; icons: { src: string }[] }
    expect(manifest).toMatchObject({
      ...{ id: '/', lang: language === 'zh' ? 'zh-CN' : 'en', start_url: language === 'zh' ? '/zh' : '/' },
      icons: expect.arrayContaining([expect.objectContaining({ purpose: 'maskable' })]),
    })
    expect((await fetch(url)).headers.get('content-type')).toContain('application/manifest+json')
    for (const { src } of manifest.icons)
      expect([src, (await fetch(new URL(src, url))).headers.get('content-type')]).toEqual([
        src,
        expect.stringMatching(/^image/),
      ])
    // A context of its own counts as incognito, which is the one error that the site cannot help.
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])
    await page.context().close()
  })

  it.each(languagesInTurn())('sees a page of its own without a connection (%s)', async (language) => {
    const { offline } = await words(language, 'common')
    const home = `${site.url}${language === 'zh' ? '/zh' : ''}`
    const page = await site.visit({ language })
    // An installed app has this display mode.
    await page.addInitScript(() => {
      const real = window.matchMedia.bind(window)
      window.matchMedia = (query) =>
        query.includes('standalone') ? ({ matches: true } as MediaQueryList) : real(query)
    })
    await page.goto(`${home}/faq`)
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}))
    await expect.poll(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller))).toBe(true)
    await page.context().setOffline(true)
    await page.goto(`${home}/privacy`, { waitUntil: 'domcontentloaded' })
    await page.getByRole('heading', { name: offline.heading }).waitFor()
    await page.context().setOffline(false)
    await page.locator('main a').click()
    await expect.poll(() => page.locator('h1').textContent()).not.toBe(offline.heading)
    await page.context().close()
  })
}

describeInBrowser('a user', sharedSite, tests, wholeChromiumPath())
