import { it } from 'vitest'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { walkPlan } from '../testing/walkPlan.ts'

describeOnSite('buying a plan', (site) => {
  it.each(languagesInTurn('en'))(
    'is paid, used, renewed, cancelled, taken back and over (%s)',
    { timeout: 240_000 },
    (language) => walkPlan(site, language),
  )
})
