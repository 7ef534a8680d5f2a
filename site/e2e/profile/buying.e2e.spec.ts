import { it } from 'vitest'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { walkPlan } from '../testing/walkPlan.ts'

describeOnSite('buying a plan', (site) => {
  it.each(languagesInTurn('en'))(
    'goes through payment, renewal, failure, cancellation, reactivation and end (%s)',
    { timeout: 240_000 },
    (language) => walkPlan(site, language),
  )
})
