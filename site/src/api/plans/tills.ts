import { atom } from 'nanostores'
import { status } from '#backend/kernel/http/contract.ts'
import type { PackCurrency } from '#backend/subscriptions/contract.ts'
import { pageLocale } from '../../i18n/client.ts'
import { call } from '../api.ts'
import { once } from '../once.ts'

/** A way to pay: a payment provider, which offers other methods in other currencies. */
export interface Till {
  readonly provider: string
  readonly currency: PackCurrency
}

/** The ways to pay at this installation, the preferred one first. Empty until they are loaded. */
export const $tills = atom<readonly Till[]>([])

/** Loads the ways to pay, once per page. */
export const loadTills = once(() =>
  call(status).then(
    ({ payment_providers }) =>
      $tills.set(
        payment_providers.flatMap(({ name, currencies }) =>
          currencies.map((currency) => ({ provider: name, currency: currency as PackCurrency })),
        ),
      ),
    () => {},
  ),
)

/** Returns the way to pay for goods that is shown first: on Chinese pages in yuan, if the installation takes them. */
export const firstTill = (tills = $tills.get()): Till | undefined =>
  (pageLocale() === 'zh' ? tills.find(({ currency }) => currency === 'CNY') : undefined) ?? tills[0]
