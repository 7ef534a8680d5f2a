import { it } from 'vitest'
import { languagesInTurn } from '../languagesInTurn.ts'
import { describeOnSite } from '../onSite.ts'
import { walkPlan } from '../walkPlan.ts'

describeOnSite('buying a plan', (site) => {
  it.each(languagesInTurn('en'))(
    'is paid, used, renewed, cancelled, taken back and over (%s)',
    { timeout: 240_000 },
    (language) => walkPlan(site, language),
  )
})
