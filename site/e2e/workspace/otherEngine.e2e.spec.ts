import { expect, it } from 'vitest'
import { modelView } from '#backend/tasks/catalogue/modelView.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { viewsInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask } from '../testing/workspaceDouble.ts'

const MODELS = shippedModels('minimax').map((model) => modelView(model, false))
const WAN = { ...MODELS.find(({ name }) => name === 'MiniMax-Hailuo-02')!, name: 'wan', engines: ['comfyui'] }
const OWN = { ...WAN, display_names: { en: 'Wan 2.2', zh: '万相 2.2' } }

describeOnSite('a video that failed on one engine', (site) => {
  it.each(viewsInTurn())(
    'can be tried with the model of another one, at its price (%s, %i px)',
    async (language, width) => {
      const { task } = await words(language, 'workspace')
      const failures = await words(language, 'failures')
      const page = await site.visit({ language, width })
      const state = await openDouble(page, site.url, language)
      state.tasks = [openTask('failed', 'Fail', { error_code: 'length_refused', credits_consumed: 0 })]
      state.rare.set('GET /videos/models', (route) => route.fulfill({ json: [...MODELS, OWN] }))
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
      const film = page.locator('.film-failed')
      await film.getByText(failures.length_refused.replace('{{seconds}}', '6')).waitFor()
      const price = OWN.costs.find(({ resolution, duration }) => resolution === '768P' && duration === 6)!.credits
      const label = task.elsewhere_other
        .replace('{{model}}', OWN.display_names[language])
        .replace('{{count}}', String(price))
      const button = film.getByRole('button', { name: label })
      await button.waitFor()
      expect(await axeFaults(page, '.stage')).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      await button.press('Enter')
      await expect.poll(() => state.orders).toMatchObject([{ model: 'wan', duration: 6, expected_credits: price }])

      // Nothing else takes this one.
      state.tasks = [openTask('silent', 'Fail', { error_code: 'length_refused', credits_consumed: 0, sound: true })]
      await page.reload()
      await film.getByText(failures.length_refused.replace('{{seconds}}', '6')).waitFor()
      await expect.poll(() => page.getByRole('button', { name: label }).count()).toBe(0)
      await page.context().close()
    },
  )
})
