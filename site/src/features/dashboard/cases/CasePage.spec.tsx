import type { WritableAtom } from 'nanostores'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, it } from 'vitest'
import { translate } from '../../../i18n/client.ts'
import type { Section } from '../boardSection.ts'
import { own } from '../operators/operators.ts'
import { CasePage } from './CasePage.tsx'
import { $case } from './cases.ts'

const $own = own.$section as WritableAtom<Section<object>>

beforeEach(() => {
  const before = $own.get()
  $own.set({ status: 'filled', data: { id: 'o', name: 'olga', role: 'support', alone: false } })
  return () => {
    $own.set(before)
    $case.set(null)
  }
})

it.each([
  ['nobody', null, 'take'],
  ['another operator', 'paul', 'take'],
  ['this operator', 'olga', 'giveBack'],
] as const)('a case of %s is offered to be taken or given back', (_, owner, act) => {
  const facts = { id: 'c', kind: 'refund', subject: 's1', user_id: null, sale_id: null, amount: null, currency: null }
  const found = { case: { ...facts, detail: null, due_at: null, owner, outcome: null, note: null }, history: [] }
  $case.set({ id: 'c', found } as unknown as ReturnType<typeof $case.get>)
  expect(renderToStaticMarkup(<CasePage />)).toContain(`>${translate()(`dashboard.cases.${act}`)}<`)
})
