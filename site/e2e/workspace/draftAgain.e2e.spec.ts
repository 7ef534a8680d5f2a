import { expect, it } from 'vitest'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, problem } from '../testing/workspaceDouble.ts'

describeOnSite("a visitor's draft", (site) => {
  it.each(languagesInTurn())(
    'that could not be read is read by a reload, and its video ordered (%s)',
    async (language) => {
      const errors = await words(language, 'errors')
      const page = await site.visit({ language })
      const state = await openDouble(page, site.url, language)
      state.rare.set('POST /auth/start/draft', problem(503, 'unavailable'))
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace?draft`)
      await page.locator('#toasts').getByText(errors.unavailable).waitFor()
      const draft = { prompt: 'A heron', key: 'k' }
      state.rare.set('POST /auth/start/draft', (route) => route.fulfill({ json: { draft } }))
      await page.reload()
      await expect.poll(() => state.orders).toEqual([expect.objectContaining({ prompt: 'A heron' })])
      await expect.poll(() => new URL(page.url()).search).toBe('')
      await page.context().close()
    },
  )
})
