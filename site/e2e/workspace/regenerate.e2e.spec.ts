import { expect, it } from 'vitest'
import { modelView } from '#backend/tasks/catalogue/modelView.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { chooseInMenu } from '../testing/chooseInMenu.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

/** A model whose finished videos can be made again in 1080P. */
const MODELS = shippedModels('demo').map((model) => ({
  ...modelView(model, false),
  regenerates_to: model.id === 'MiniMax-Hailuo-02' ? '1080P' : null,
}))
const SETTINGS = { model: 'MiniMax-Hailuo-02', duration: 6, seed: 7 }

describeOnSite('a finished video of a model that can make it again', (site) => {
  it.each(
    sampled([
      ['en', 1280],
      ['zh', 320],
    ] as const),
  )('is ordered in the higher resolution with its price, in %s at %i px', async (language, width) => {
    const { task } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.rare.set('GET /videos/models', (route) => route.fulfill({ json: MODELS }))
    state.tasks = [
      taskOf('a', { ...SETTINGS, resolution: '768P' }),
      taskOf('b', { ...SETTINGS, resolution: '1080P' }),
      taskOf('c', { ...SETTINGS, model: 'T2V-01-Director', resolution: '720P' }),
    ]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    const { credits } = MODELS[0]!.costs.find(({ resolution, duration }) => resolution === '1080P' && duration === 6)!
    const name = task.regenerate_other.replace('{{resolution}}', '1080P').replace('{{count}}', String(credits))
    const row = (id: string) => page.locator(`[data-task="${id}"]`)
    for (const [id, count] of Object.entries({ b: 0, c: 0, a: 1 })) {
      await row(id).getByRole('button', { name: task.more, exact: true }).click()
      await row(id).getByRole('menuitem', { name: task.remix, exact: true }).waitFor()
      await expect.poll(() => row(id).getByRole('menuitem', { name, exact: true }).count(), { message: id }).toBe(count)
      expect(await axeFaults(page, `[data-task="${id}"]`)).toEqual([])
      await page.keyboard.press('Escape')
    }
    await chooseInMenu(row('a'), task.more, name)
    const order = { source_task_id: 'a', resolution: '1080P', seed: 7, expected_credits: credits }
    await expect.poll(() => state.orders.at(-1)).toMatchObject(order)
    await page.context().close()
  })
})
