import { useState } from 'react'
import { PACK_IDS, PACKS, type PackCurrency, type PackId, priceOf } from '#backend/subscriptions/contract.ts'
import { buyPack } from '../../api/plans/purchase.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { money } from '../../i18n/money.ts'
import { Button } from '../Button.tsx'
import { useTill } from './useTill.tsx'

/** Lists the packs of credits with buttons to buy them. */
export function PackChoices() {
  const t = translate()
  const [buying, setBuying] = useState<PackId | null>(null)
  const [till, tillField] = useTill()
  const buy = async (pack: PackId) => {
    if (buying) return
    setBuying(pack)
    await buyPack(pack, till)
    setBuying(null)
  }
  return (
    <div className="stack plan-choices">
      <h3>{t('subscription.packs.heading')}</h3>
      <p className="muted">{t('subscription.packs.lead')}</p>
      {tillField}
      <ul className="stack gap-3">
        {PACK_IDS.map((pack) => (
          <Choice
            key={pack}
            pack={pack}
            currency={till?.currency ?? 'USD'}
            busy={buying === pack}
            onBuy={() => void buy(pack)}
          />
        ))}
      </ul>
      <p className="hint">{t('plans.consent')}</p>
    </div>
  )
}

interface ChoiceProps {
  readonly pack: PackId
  readonly currency: PackCurrency
  readonly busy: boolean
  readonly onBuy: () => void
}

function Choice({ pack, currency, busy, onBuy }: ChoiceProps) {
  const t = translate()
  const locale = pageLocale()
  const number = (value: number) => value.toLocaleString(HTML_LANG[locale])
  const { credits, bonus } = PACKS[pack]
  const text = t('subscription.packs.credits', { credits: number(credits) })
  return (
    <li className="plan-choice stack gap-3" data-pack={pack}>
      <div>
        <strong>{text}</strong>
        {bonus > 0 && <p className="hint">{t('subscription.packs.bonus', { bonus: number(bonus) })}</p>}
      </div>
      <div className="plan-choice-price">
        <strong>{money(priceOf(pack, currency), currency, locale)}</strong>
      </div>
      <Button
        label={t('subscription.packs.buy', { credits: number(credits) })}
        variant="outline"
        busy={busy}
        onClick={onBuy}
      />
    </li>
  )
}
