import { pageLocale, translate } from '../../i18n/client.ts'
import { money as moneyText } from '../../i18n/money.ts'
import { Facts } from '../../ui/Facts.tsx'
import { money } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'

/** Shows credits, revenue, provider cost and margin. */
export function Margin() {
  const t = translate()
  const locale = pageLocale()
  const dollars = (cents: number | null, fallback: string) =>
    cents === null ? fallback : moneyText(cents, 'USD', locale)
  return (
    <Panel name="margin" section={money}>
      {(data) => (
        <Facts
          className="board-facts"
          facts={[
            [t('dashboard.margin.sold'), numberText(data.credits_sold)],
            [t('dashboard.margin.given'), numberText(data.credits_given)],
            [t('dashboard.margin.spent'), numberText(data.credits_spent)],
            [t('dashboard.margin.outstanding'), numberText(data.credits_outstanding)],
            [
              t('dashboard.margin.revenue'),
              data.revenue.map((each) => moneyText(each.amount, each.currency, locale)).join(' + ') || dollars(0, ''),
            ],
            [t('dashboard.margin.cost'), dollars(data.provider_cost, t('dashboard.margin.noCost'))],
            [
              t('dashboard.margin.margin'),
              dollars(data.margin, t(`dashboard.margin.${data.provider_cost === null ? 'noMargin' : 'mixed'}`)),
            ],
            ...(data.unpriced_clips > 0
              ? [[t('dashboard.margin.unpriced'), numberText(data.unpriced_clips)] as const]
              : []),
          ]}
        />
      )}
    </Panel>
  )
}
