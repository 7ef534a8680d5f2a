import { it } from 'vitest'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeInBrowser, ENTRY, startAlone } from '../testing/onSite.ts'
import { walkPlan } from '../testing/walkPlan.ts'

// The walk moves the clock of its server.
describeInBrowser(
  'buying a plan',
  () => startAlone({}, ENTRY),
  (site) => {
    it.each(languagesInTurn('en'))(
      'goes through payment, renewal, failure, cancellation, reactivation and end (%s)',
      (language) => walkPlan(site, language),
    )
  },
)
