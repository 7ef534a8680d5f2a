import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CameraMovement } from '#backend/tasks/contract.ts'
import { chooseInMenu } from '../testing/chooseInMenu.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite, type OnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import {
  openDouble,
  openTask,
  picture,
  problem,
  refusedByProxy,
  taskOf,
  unreachable,
  type WorkspaceState,
} from '../testing/workspaceDouble.ts'

const IMAGE = { name: 'a.jpg', mimeType: 'image/jpeg' }
const within = (path: string, code: string) => ({ errors: [{ path, code, message: code }] })

describeOnSite('the messages of the workspace', (site) => {
  describe.each(languagesInTurn())('(%s)', (language) => messages(site, language))
})

function messages(site: OnSite, language: 'en' | 'zh'): void {
  let page: Page
  let state: WorkspaceState
  // biome-ignore lint/suspicious/noExplicitAny: catalogues are read as they are
  let [texts, errors, failures]: any[] = []
  const toast = (text: string) => page.locator('#toasts').getByText(text).first().waitFor()
  const shown = (text: string) => page.locator('main').getByText(text, { exact: true }).first().waitFor()
  const row = (id: string) => page.locator(`[data-task="${id}"]`)
  const open = async () => {
    const address = `${site.url}${language === 'zh' ? '/zh' : ''}/workspace`
    await page.goto(address)
    await page.getByRole('tab', { name: texts.form.text }).waitFor()
  }
  /** Drops or pastes a picture; `weight` bytes are appended to it in the page. */
  const hand = (kind: 'drop' | 'paste', base64: string, weight = 0) =>
    page.locator('.drop').evaluate(
      (target, [event, text, added]) => {
        const bytes = Uint8Array.from(atob(String(text)), (character) => character.charCodeAt(0))
        const data = new DataTransfer()
        data.items.add(new File([bytes, new Uint8Array(Number(added))], 'a.jpg', { type: 'image/jpeg' }))
        const init = { bubbles: true, cancelable: true }
        if (event === 'drop') target.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }))
        else target.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }))
      },
      [kind, base64, weight] as const,
    )
  const generate = () => page.getByRole('button', { name: new RegExp(`^${texts.form.generate}`) })

  beforeAll(async () => {
    const names = ['workspace', 'errors', 'failures']
    ;[texts, errors, failures] = await Promise.all(names.map((name) => words(language, name)))
    page = await site.visit({ language })
    state = await openDouble(page, site.url, language)
  })
  afterAll(() => page?.context().close())

  it('explain why a picture is rejected, by the page or the server', async () => {
    await open()
    await page.getByRole('tab', { name: texts.form.image }).click()
    const choose = (buffer: Buffer, file = IMAGE) => page.locator('input[type=file]').setInputFiles({ ...file, buffer })
    await choose(Buffer.from('text'), { name: 'a.gif', mimeType: 'image/gif' })
    await shown(errors.invalid_file_type)
    await hand('drop', '', 20 * 1024 * 1024 + 1)
    await shown(errors.payload_too_large)
    await choose(picture(1000, 350))
    await shown(errors.image_aspect_ratio)
    await choose(picture(400, 300))
    await shown(errors.image_too_small)
    await choose(Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.from('no picture')]))
    await shown(errors.image_unreadable)
    const refusals = [
      [unreachable, errors.upload_failed],
      [problem(413, 'payload_too_large'), texts.image.refused.size],
      [refusedByProxy, errors.proxy_limit],
      [problem(422, 'invalid_file_type'), texts.image.refused.type],
      [problem(500, 'internal'), texts.image.refused.failed],
      [problem(422, 'image_damaged'), errors.image_damaged],
      [problem(429, 'upload_running'), errors.upload_running],
      [problem(429, 'too_many_uploads'), errors.too_many_uploads],
      [problem(429, 'too_many_unused_images'), errors.too_many_unused_images],
      [problem(503, 'uploads_busy'), errors.uploads_busy],
      [problem(503, 'image_timeout'), errors.image_timeout],
    ] as const
    for (const [answer, text] of refusals) {
      state.rare.set('POST /videos/upload-image', answer)
      await choose(picture(640, 360))
      await shown(text)
    }
    state.rare.set('POST /videos/upload-image', () => {})
    await choose(picture(640, 360))
    await page.getByRole('button', { name: texts.image.cancel }).click()
    await shown(texts.image.drop)
    state.rare.clear()
    await choose(picture(640, 480))
    await shown(texts.image.ratioWarning)
    await shown(texts.image.ready)
  })

  it('confirm a dropped or pasted picture', async () => {
    for (const kind of ['drop', 'paste'] as const) {
      await page.getByRole('button', { name: texts.image.remove }).click()
      await hand(kind, picture(640, 360).toString('base64'))
      await shown(texts.image.ready)
    }
  })

  it('announce what a choice changes and why options are unavailable', async () => {
    const choose = (name: string) => page.getByRole('radio', { name, exact: true }).locator('..').click()
    const seconds = (count: number) => texts.form.seconds.replace('{{count}}', count)
    const settings = (resolution: string, duration: number) =>
      texts.changed.settings.replace('{{resolution}}', resolution).replace('{{duration}}', duration)
    await page.getByRole('textbox', { name: texts.form.promptOptional }).fill('A cat')
    await page.getByRole('button', { name: texts.form.movements }).click()
    const movements = (await words(language, 'movements')).name
    for (const name of [movements.truckLeft, movements.panLeft, movements.pushIn, movements.shake])
      await page
        .locator('dialog')
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .click()
    const gone = texts.camera.replaced.replace('{{came}}', movements.shake).replace('{{gone}}', movements.truckLeft)
    await page.locator('dialog').getByText(gone).waitFor()
    await page
      .locator('dialog')
      .getByRole('button', { name: new RegExp(`^${movements.panRight}`) })
      .click()
    await page.getByRole('button', { name: (await words(language, 'common')).action.apply }).click()
    const list = [movements.pushIn, movements.shake, movements.panRight].join(language === 'zh' ? '，' : ', ')
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe(`A cat [${list}]`)
    await choose('1080P')
    await choose(seconds(10))
    await toast(settings('768P', 10))
    await page
      .getByText(texts.excluded.resolutionSeconds.replace('{{resolution}}', '1080P').replace('{{seconds}}', 6))
      .waitFor()
    await expect.poll(() => page.getByRole('radio', { name: '1080P' }).isDisabled()).toBe(true)
    await choose('I2V-01-live')
    await toast(settings('720P', 6))
    await toast(texts.changed.movementsCleared.replace('{{model}}', 'I2V-01-live'))
    await expect.poll(() => page.locator('#prompt').inputValue()).toBe('A cat')
    await page.getByRole('tab', { name: texts.form.text }).click()
    await toast(texts.changed.model.replace('{{model}}', 'MiniMax-Hailuo-02'))
  })

  it('explain why a video was not started', async () => {
    const prompt = page.getByRole('textbox', { name: texts.form.prompt })
    await prompt.fill('')
    await generate().click()
    await shown(errors.required)
    await prompt.fill('x'.repeat(2001))
    await shown(errors.prompt_too_long)
    await prompt.fill('A cat')
    const refusals = [
      [problem(402, 'insufficient_credits'), errors.insufficient_credits],
      [problem(429, 'queue_full'), errors.queue_full],
      [problem(403, 'plan_required'), errors.plan_required],
      [problem(409, 'price_changed'), errors.price_changed],
      [problem(409, 'something_new'), 'The server says: something_new.'],
      [
        (route: Parameters<typeof unreachable>[0]) => route.fulfill({ status: 418, body: 'no JSON' }),
        texts.createFailed,
      ],
      [problem(503, 'unavailable'), errors.unavailable],
      [unreachable, errors.network],
    ] as const
    for (const [answer, text] of refusals) {
      state.rare.set('POST /videos/generate', answer)
      await generate().click()
      await toast(text)
    }
    for (const code of ['model_not_for_task_type', 'resolution_not_for_model', 'duration_not_for_model']) {
      const path = code.split('_')[0]!
      state.rare.set('POST /videos/generate', problem(422, 'invalid_input', within(path, code)))
      await generate().click()
      await shown(errors[code])
    }
    state.rare.clear()
    await generate().click()
    await toast(texts.task.created_toast)
    expect(state.orders.at(-1)).toMatchObject({ prompt: 'A cat', model: 'MiniMax-Hailuo-02', prompt_optimizer: true })
  })

  it('explain a disabled button and link to the plans if credits or plan do not suffice', async () => {
    const stats = (tier: string, remaining: number) => ({
      current_tier: tier,
      remaining_credits: remaining,
      total_credits: 60,
    })
    const short = (remaining: number) => texts.form.short.replace('{{cost}}', 30).replace('{{remaining}}', remaining)
    for (const [tier, remaining, more] of [
      ['standard', 10, short(10)],
      ['free', 0, texts.form.spent],
    ] as const) {
      state.stats = stats(tier, remaining)
      await open()
      await shown(errors.insufficient_credits)
      await page.locator('.generate-bar').getByText(more).waitFor()
      await expect.poll(() => generate().isDisabled()).toBe(true)
      await expect
        .poll(() => page.getByRole('link', { name: texts.form.plans }).getAttribute('href'))
        .toMatch(/\?section=pricing$/)
    }
    await page.getByText(texts.excluded.resolutionPlan.replace('{{resolution}}', '1080P')).first().waitFor()
    state.stats = stats('standard', 900)
  })

  it('explain why a video failed and that it was not charged', async () => {
    state.tasks = [
      openTask('worded', 'Fail', { error_code: 'content_refused', error_message: 'refused', credits_consumed: 0 }),
      openTask('told', 'Fail', { error_message: 'The moon was in the way.', credits_consumed: 0 }),
      openTask('silent', 'Fail', { credits_consumed: 0 }),
      taskOf('done', { camera_movements: ['固定' as CameraMovement], model: 'T2V-01-Director', resolution: '720P' }),
      taskOf('lost', { video_url: null }),
    ]
    await open()
    for (const [id, text] of [
      ['worded', failures.content_refused],
      ['told', 'The moon was in the way.'],
      ['silent', failures.internal],
    ]) {
      await row(id).getByText(text).waitFor()
      await row(id).getByText(texts.task.notCharged).waitFor()
    }
  })

  it('report a failed refresh, download or deletion', async () => {
    state.rare.set('GET /videos/tasks/silent', unreachable)
    await row('silent').getByRole('button', { name: texts.task.refresh }).click()
    await toast(texts.task.refreshFailed)
    const download = row('done').getByRole('link', { name: texts.task.download })
    const refusals = [
      [unreachable, texts.task.downloadTryAgain],
      [problem(500, 'internal'), texts.task.downloadFailed],
      [problem(404, 'not_found'), texts.task.noVideo],
    ] as const
    for (const [answer, text] of refusals) {
      state.rare.set('HEAD /videos/download', answer)
      await download.click()
      await toast(text)
    }
    await row('lost').getByRole('button', { name: texts.task.download }).click()
    await toast(texts.task.noVideo)
    const remove = async (id: string) => {
      await row(id).getByRole('button', { name: texts.task.delete }).click()
      await page.locator('dialog').getByText(texts.confirm.deleteText).waitFor()
      await page.locator('dialog').getByRole('button', { name: texts.confirm.deleteYes, exact: true }).click()
    }
    for (const [answer, text] of [
      [problem(409, 'task_in_progress'), errors.task_in_progress],
      [problem(403, 'forbidden'), errors.forbidden],
      [(route: Parameters<typeof unreachable>[0]) => route.fulfill({ status: 500 }), errors.internal],
    ] as const) {
      state.rare.set('DELETE /videos/tasks', answer)
      await remove('lost')
      await toast(text)
    }
    state.rare.clear()
    await remove('lost')
    await toast(texts.task.deleted)
    await expect.poll(() => row('lost').count()).toBe(0)
  })

  it('confirm a repeated video and reused settings, which survive a reload', async () => {
    const again = texts.task.again_other.replace('{{count}}', '30')
    await chooseInMenu(row('done'), texts.task.more, again)
    await toast(texts.task.created_toast)
    expect(state.orders.at(-1)).toMatchObject({ model: 'T2V-01-Director', camera_movements: ['固定'], duration: 6 })
    await chooseInMenu(row('done'), texts.task.more, texts.task.remix)
    await toast(texts.changed.remix)
    const { fixed } = (await words(language, 'movements')).name
    const box = `A lighthouse by the sea done [${fixed}]`
    const inForm = async () => [
      await page.locator('#prompt').inputValue(),
      await page.getByRole('radio', { name: 'T2V-01-Director' }).isChecked(),
    ]
    await expect.poll(inForm).toEqual([box, true])
    await page.reload()
    await page.getByRole('tab', { name: texts.form.text }).waitFor()
    await expect.poll(inForm).toEqual([box, true])
    state.rare.set('POST /auth/logout', (route) => route.fulfill({ status: 204 }))
    await page
      .locator('[data-logout]')
      .first()
      .evaluate((button: HTMLElement) => button.click())
    await page.waitForURL('**/auth/login')
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft')))).toEqual([])
  })
}
