import type { Page } from 'playwright'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { answering, startReceiverDouble } from '#backend/webhooks/testing/receiverDouble.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const WIDTHS = [390, 1280]

/** Checks the page with axe and for horizontal overflow at each width. */
async function expectNoFaults(page: Page, name: string) {
  for (const width of sampled(WIDTHS)) {
    await page.setViewportSize({ width, height: 860 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([name, width, overflow, await axeFaults(page)]).toEqual([name, width, 0, []])
    const shots = process.env.KINORA_SHOTS
    if (!shots) continue
    const isDialog = (await page.locator('dialog[open]').count()) > 0
    await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: !isDialog })
  }
}

describeOnSite(
  'the webhooks of the account',
  (site) => {
    it.each(languagesInTurn())(
      'are added, tested, followed, sent again, rotated and deleted (%s)',
      async (language) => {
        const [t, errors] = await Promise.all(['webhooks', 'errors'].map((name) => words(language, name)))
        const receiver = await startReceiverDouble()
        const user = await site.newUser()
        await user.call('PUT', '/users/language', { language })
        const page = await site.visit({ language, user })
        const section = page.locator('#webhooks')
        const dialog = page.locator('dialog[open]')
        const submit = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
        const act = (action: string) =>
          section
            .getByRole('button', { name: t.actions.replace('{{action}}', action).replace('{{name}}', 'n8n') })
            .click()
        await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/profile/developers#webhooks`)
        await page.getByRole('heading', { name: t.emptyTitle }).waitFor()
        await expectNoFaults(page, `webhooks-empty-${language}`)

        await section.getByRole('button', { name: t.create }).click()
        await dialog.getByLabel(t.form.url).fill('https://10.0.0.1/hook')
        await submit(t.form.submit)
        await dialog.getByText(errors.required, { exact: true }).waitFor()
        await dialog.getByLabel(t.form.name).fill('n8n')
        await submit(t.form.submit)
        await dialog.getByText(errors.address_refused, { exact: true }).waitFor()
        await expectNoFaults(page, `webhooks-form-${language}`)
        await dialog.getByLabel(t.form.url).fill(receiver.url)
        await submit(t.form.submit)
        const secret = (await dialog.locator('.key-shown').textContent()) ?? ''
        await expectNoFaults(page, `webhooks-shown-${language}`)
        await submit(t.shown.done)
        await section.getByText(t.state.on, { exact: true }).waitFor()

        await act(t.test)
        await page.getByText('204').first().waitFor()
        const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
        expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'ping' })
        receiver.answer = answering(500, {}, 'A <b>fault</b>\n'.repeat(60))
        await act(t.test)
        await page.getByText('500').first().waitFor()
        await expectNoFaults(page, `webhooks-one-${language}`)

        await act(t.deliveries.open)
        const failed = dialog.locator('[data-delivery=failed]')
        await failed.getByText(t.deliveries.answer, { exact: true }).click()
        await failed.getByText('A <b>fault</b>').waitFor()
        await expectNoFaults(page, `webhooks-deliveries-${language}`)
        receiver.answer = receiver.ok
        await dialog.getByRole('button', { name: t.deliveries.allSince }).click()
        await expect.poll(() => receiver.received.length).toBe(3)
        expect(receiver.received[2]?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id'])
        await page.keyboard.press('Escape')

        await act(t.rotate)
        await expectNoFaults(page, `webhooks-rotate-${language}`)
        await submit(t.rotation.submit)
        await expect.poll(() => dialog.locator('.key-shown').textContent()).not.toBe(secret)
        await submit(t.shown.done)
        await act(t.switchOff)
        await section.getByText(t.state.owner, { exact: true }).waitFor()
        await act(t.delete)
        await submit(t.deleting.confirm)
        await page.getByRole('heading', { name: t.emptyTitle }).waitFor()
        receiver.close()
        await page.context().close()
      },
    )
  },
  { WEBHOOK_PRIVATE_HOSTS: 'localhost' },
)
