import { it } from 'vitest'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { walkJourney } from './testing/walkJourney.ts'
import { walkReset } from './testing/walkReset.ts'

/** Widths of a desktop and a phone. */
const WIDTH = { en: 1280, zh: 390 }

describeOnSite("a person's first two videos", (site) => {
  // `npm test` may run the other language on the split layout.
  it.each(languagesInTurn('en'))('are generated (%s)', (language) =>
    walkJourney(site.browser, site.url, { language, width: WIDTH[language] }),
  )

  it.each(languagesInTurn('en'))('survive a password reset (%s)', (language) =>
    walkReset(site.browser, site.url, language),
  )
})
