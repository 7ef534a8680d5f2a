import { pageLocale, translate } from '../../i18n/client.ts'
import { money as moneyText } from '../../i18n/money.ts'
import { money } from './board.ts'
import { Facts } from './Facts.tsx'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'

/** Credits sold, given and spent, and what is left of the money. */
export function Margin() {
  const t = translate()
  const locale = pageLocale()
  const number = (value: number) => numberText(value, locale)
  const dollars = (cents: number | null, otherwise: string) =>
    cents === null ? otherwise : moneyText(cents, 'USD', locale)
  return (
    <Panel
      name="margin"
      heading={t('dashboard.margin.heading')}
      section={money.$section}
      onRetry={() => void money.load()}
    >
      {(data) => (
        <Facts
          facts={[
            { name: t('dashboard.margin.sold'), value: number(data.credits_sold) },
            { name: t('dashboard.margin.given'), value: number(data.credits_given) },
            { name: t('dashboard.margin.spent'), value: number(data.credits_spent) },
            { name: t('dashboard.margin.outstanding'), value: number(data.credits_outstanding) },
            {
              name: t('dashboard.margin.revenue'),
              value:
                data.revenue.map((each) => moneyText(each.amount, each.currency, locale)).join(' + ') || dollars(0, ''),
            },
            { name: t('dashboard.margin.cost'), value: dollars(data.provider_cost, t('dashboard.margin.noCost')) },
            { name: t('dashboard.margin.margin'), value: dollars(data.margin, t('dashboard.margin.noMargin')) },
          ]}
        />
      )}
    </Panel>
  )
}
