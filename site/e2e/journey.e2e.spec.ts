import { it } from 'vitest'
import { describeOnSite } from './onSite.ts'
import { walkJourney } from './walkJourney.ts'
import { walkReset } from './walkReset.ts'

describeOnSite("a person's first two videos", (site) => {
  it('are made in English, on a desk', { timeout: 240_000 }, () =>
    walkJourney(site.browser, site.url, { language: 'en', width: 1280 }),
  )

  it('are made in Chinese, on a phone', { timeout: 240_000 }, () =>
    walkJourney(site.browser, site.url, { language: 'zh', width: 390 }),
  )

  it.each(['en', 'zh'] as const)('are still there after a forgotten password (%s)', { timeout: 60_000 }, (language) =>
    walkReset(site.browser, site.url, language),
  )
})
