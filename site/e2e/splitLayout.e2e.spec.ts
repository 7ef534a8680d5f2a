import { describe, it } from 'vitest'
import { startSplitLayout } from '#backend/testing/splitLayout.ts'
import { findTemporal } from '#workflows/testing/temporalServer.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeInBrowser, ENTRY } from './testing/onSite.ts'
import { walkJourney } from './testing/walkJourney.ts'
import { walkPlan } from './testing/walkPlan.ts'

const temporal = findTemporal()
const lacking = temporal ? '' : ' (skipped: there is no temporal program, and pip could not install it)'
const WIDTH = { en: 1280, zh: 390 }

describe.skipIf(!temporal)(`two APIs, a projector and two workers${lacking}`, () => {
  const start = () =>
    startSplitLayout({
      temporal: temporal!,
      processes: ['api1', 'api2', 'projector', 'worker1', 'worker2'],
      entry: ENTRY,
    })

  describeInBrowser('on Temporal and EventStoreDB’s wire', start, (site) => {
    // `npm test` runs the languages that the single-process journeys skip.
    it.each(languagesInTurn('zh'))('generate a user’s first two videos (%s)', (language) =>
      walkJourney(site.browser, site.url, { language, width: WIDTH[language] }),
    )

    it.each(languagesInTurn('en'))('sell a plan, renew it, and let it end (%s)', (language) => walkPlan(site, language))
  })
})
