import { it } from 'vitest'
import { describeOnBoard } from '../testing/onBoard.ts'

describeOnBoard('shots', (on) => {
  it.each(['en', 'zh'] as const)('takes them (%s)', async (language) => {
    const prefix = language === 'zh' ? '/zh' : ''
    for (const kind of ['busy', 'real'] as const) {
      const page = kind === 'busy' ? (await on.open(language)).page : await on.visit(language)
      for (const hash of kind === 'busy' ? ['#board'] : ['#board', '#control', '#money']) {
        await page.goto(`${on.site.url}${prefix}/admin/dashboard${hash}`)
        for (const width of [1280, 1680, 390]) {
          await page.setViewportSize({ width, height: 900 })
          await new Promise((resolve) => setTimeout(resolve, 900))
          await page.screenshot({
            path: `/tmp/shots/${kind}-${hash.slice(1)}-${language}-${width}.png`,
            fullPage: true,
          })
        }
      }
      await page.context().close()
    }
  })
})
