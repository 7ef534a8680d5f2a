import { describe, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { startSplitLayout } from '#backend/testing/splitLayout.ts'
import { findTemporal } from '#workflows/testing/temporalServer.ts'
import { type Language, languagesInTurn } from './testing/languagesInTurn.ts'
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
    // `npm test` walks one of them here. Each runs on one process too.
    const walks = [
      [
        'generate a user’s first two videos',
        (language: Language) => walkJourney(site.browser, site.url, { language, width: WIDTH[language] }),
      ],
      ['sell a plan, renew it, and let it end', (language: Language) => walkPlan(site, language)],
    ] as const
    describe.each(sampled(walks))('%s', (_, walk) => {
      it.each(languagesInTurn('zh'))('in %s', walk)
    })
  })
})
