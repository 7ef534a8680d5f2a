import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useState } from 'react'
import { $tills, firstTill, loadTills, type Till } from '../../api/plans/tills.ts'
import { translate } from '../../i18n/client.ts'
import { Choices } from '../Choices.tsx'

const keyOf = ({ provider, currency }: Till) => `${provider} ${currency}`

function nameOf({ provider, currency }: Till): string {
  const t = translate()
  if (provider === 'stripe') return t(currency === 'CNY' ? 'subscription.till.stripeCny' : 'subscription.till.stripe')
  return provider === 'paypal' || provider === 'sandbox' ? t('subscription.till.paypal') : provider
}

/**
 * Returns the way to pay that the buyer chose, with the field to choose it: nothing if there is one way only. Chinese pages prefer
 * yuan.
 * @param isOffered whether the goods can be paid in this way
 */
export function useTill(isOffered: (till: Till) => boolean = () => true): readonly [Till | undefined, ReactNode] {
  const tills = useStore($tills).filter(isOffered)
  const [chosen, choose] = useState<string>()
  useEffect(() => void loadTills(), [])
  const till = tills.find((each) => keyOf(each) === chosen) ?? firstTill(tills)
  const options = tills.map((each) => ({ value: keyOf(each), label: nameOf(each) }))
  const field = till && tills.length > 1 && (
    <Choices label={translate()('subscription.till.label')} value={keyOf(till)} options={options} onChange={choose} />
  )
  return [till, field]
}
