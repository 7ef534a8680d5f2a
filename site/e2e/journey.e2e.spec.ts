import { it } from 'vitest'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { walkJourney } from './testing/walkJourney.ts'
import { walkReset } from './testing/walkReset.ts'

/** A desk and a phone. */
const WIDTH = { en: 1280, zh: 390 }

describeOnSite("a person's first two videos", (site) => {
  // In `npm test` the other language walks on the split layout.
  it.each(languagesInTurn('en'))('are made (%s)', { timeout: 240_000 }, (language) =>
    walkJourney(site.browser, site.url, { language, width: WIDTH[language] }),
  )

  it.each(languagesInTurn('en'))('are still there after a forgotten password (%s)', { timeout: 60_000 }, (language) =>
    walkReset(site.browser, site.url, language),
  )
})
