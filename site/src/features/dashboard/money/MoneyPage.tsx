import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { money as contract, type Money, operatorFactors } from '#backend/operators/contract.ts'
import { call } from '../../../api/api.ts'
import { startDownload } from '../../../api/taskActions.ts'
import { pageLocale, textAt, translate } from '../../../i18n/client.ts'
import { money } from '../../../i18n/money.ts'
import { Button } from '../../../ui/Button.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { $choice, csvAddress, ofChoice } from '../board.ts'
import { boardSection } from '../boardSection.ts'
import { ScrolledList } from '../desk/ScrolledList.tsx'
import { Figures } from '../Figures.tsx'
import { numberText, percentText, shortDay } from '../figures.ts'
import { DateRange } from '../period/DateRange.tsx'

const section = boardSection(() => call(contract, { query: ofChoice() }))

/** Revenue, costs and margins, and whether till, subscriptions and ledger agree. */
export function MoneyPage() {
  const t = translate()
  const heading = useRef<HTMLHeadingElement>(null)
  const choice = useStore($choice)
  const { data, status, error } = useStore(section.$section)
  useEffect(() => heading.current?.focus(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another period is another report.
  useEffect(() => void section.load(), [choice])
  return (
    <div className="stack desk-person" aria-busy={status === 'loading'}>
      <div className="row spread">
        <h2 ref={heading} tabIndex={-1}>
          {t('dashboard.money.heading')}
        </h2>
        <DateRange />
      </div>
      {error !== undefined && (
        <Notice tone="danger">
          {t('dashboard.unread')}{' '}
          <Button
            label={t('dashboard.reload')}
            icon="refresh"
            variant="outline"
            busy={status === 'loading'}
            onClick={() => void section.load()}
          />
        </Notice>
      )}
      {!data && error === undefined && <div className="skeleton board-skeleton" />}
      {data && (
        <div className="desk-grid">
          <Zeros zeros={data.zeros} />
          <Recurring recurring={data.recurring} />
          <Sums data={data} />
          <Plans plans={data.plans} />
          <Made data={data} />
        </div>
      )}
    </div>
  )
}

/** A part of the page with the file of its table. An empty one is one line. */
function Part(props: { title: string; empty: boolean; csv?: 'sales' | 'costs' | 'zeros'; children: ReactNode }) {
  const { title, empty, csv, children } = props
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(operatorFactors)
  const download = async (address: string) => {
    await guard(() => call(operatorFactors.checkStepUp))
    startDownload(address)
  }
  return (
    <section className="stack card desk-part" aria-labelledby={id}>
      <div className="row spread board-panel-head">
        <h3 id={id}>{title}</h3>
        {csv && (
          <a
            className="touch hint board-csv plain bold"
            href={csvAddress(csv, true)}
            download
            aria-label={t('dashboard.csvOf', { table: title })}
            onClick={(event) => {
              event.preventDefault()
              void download(csvAddress(csv, true)).catch(() => {})
            }}
          >
            <Icon name="download" />
            {t('dashboard.csv')}
          </a>
        )}
      </div>
      {empty ? <p className="hint">{t('dashboard.money.none')}</p> : children}
      {dialog}
    </section>
  )
}

const amount = (cents: number | null, currency = 'USD') => (cents === null ? '—' : money(cents, currency, pageLocale()))

function Zeros({ zeros }: Pick<Money, 'zeros'>) {
  const t = translate()
  return (
    <Part title={t('dashboard.money.zeros')} empty={false} csv="zeros">
      <p className="hint">{t('dashboard.money.zerosHint')}</p>
      {zeros.length === 0 && <p className="hint">{t('dashboard.money.noZeros')}</p>}
      <ScrolledList>
        {zeros.map(({ day, zero, signed, sales, differences, unreached }) => (
          <li key={day}>
            <time dateTime={day}>{shortDay(day)}</time>{' '}
            <span className="badge" data-tone={zero ? 'success' : 'danger'}>
              {t(zero ? 'dashboard.money.zero' : 'dashboard.money.differs')}
            </span>{' '}
            <span className="hint">
              {t('dashboard.money.zeroSales', { count: sales })}
              {' · '}
              {t(signed ? 'dashboard.money.signed' : 'dashboard.money.unsigned')}
            </span>
            {[...differences, ...unreached.map((id) => t('dashboard.money.unreached', { id }))].map((text) => (
              <p className="fault anywhere" key={text}>
                {text}
              </p>
            ))}
          </li>
        ))}
      </ScrolledList>
    </Part>
  )
}

function Recurring({ recurring: { mrr, subscribers, before, churned, churn } }: Pick<Money, 'recurring'>) {
  const t = translate()
  return (
    <Part title={t('dashboard.money.recurring')} empty={false}>
      <Facts
        className="board-facts"
        facts={[
          [t('dashboard.money.mrr'), mrr.map((each) => amount(each.amount, each.currency)).join(' + ') || '—'],
          [t('dashboard.money.subscribers'), numberText(subscribers)],
          [t('dashboard.money.before'), numberText(before)],
          [t('dashboard.money.churned'), numberText(churned)],
          [t('dashboard.money.churn'), churn === null ? '—' : percentText(churn)],
        ]}
      />
    </Part>
  )
}

/** Sums the known fees, and counts the sales of which the payment provider has not told its fee. */
function feesText({ fees, unknown_fees, currency }: Money['currencies'][number] | Money['tills'][number]) {
  const t = translate()
  if (fees === null) return t('dashboard.money.untold')
  return amount(fees, currency) + (unknown_fees > 0 ? t('dashboard.money.untoldSome', { count: unknown_fees }) : '')
}

function Sums({ data: { currencies, tills } }: { data: Money }) {
  const t = translate()
  return (
    <Part title={t('dashboard.money.revenue')} empty={currencies.length === 0} csv="sales">
      <Figures
        rows={currencies}
        keyOf={({ currency }) => currency}
        columns={[
          { head: t('dashboard.money.currency'), isRowHead: true, cell: ({ currency }) => currency },
          { head: t('dashboard.money.gross'), cell: ({ gross, currency }) => amount(gross, currency) },
          { head: t('dashboard.money.refunds'), cell: ({ refunds, currency }) => amount(refunds, currency) },
          { head: t('dashboard.money.fees'), cell: feesText },
          { head: t('dashboard.money.net'), cell: ({ net, currency }) => amount(net, currency) },
        ]}
      />
      <Figures
        rows={tills}
        keyOf={({ provider, currency }) => `${provider} ${currency}`}
        columns={[
          {
            head: t('dashboard.money.till'),
            isRowHead: true,
            cell: ({ provider }) => textAt(`dashboard.money.tills.${provider}`) ?? provider ?? '—',
          },
          { head: t('dashboard.money.sales'), cell: ({ sales }) => numberText(sales) },
          { head: t('dashboard.money.gross'), cell: ({ gross, currency }) => amount(gross, currency) },
          { head: t('dashboard.money.refunds'), cell: ({ refunds, currency }) => amount(refunds, currency) },
          { head: t('dashboard.money.fees'), cell: feesText },
        ]}
      />
      <p className="hint">{t('dashboard.money.feesHint')}</p>
    </Part>
  )
}

function Plans({ plans }: Pick<Money, 'plans'>) {
  const t = translate()
  return (
    <Part title={t('dashboard.money.plans')} empty={plans.length === 0}>
      <Figures
        rows={plans}
        keyOf={({ item, currency }) => `${item} ${currency}`}
        columns={[
          {
            head: t('dashboard.money.plan'),
            isRowHead: true,
            cell: ({ item, pack }) => textAt(`dashboard.${pack ? 'money.packs' : 'desk.tiers'}.${item}`) ?? item,
          },
          { head: t('dashboard.money.sales'), cell: ({ sales }) => numberText(sales) },
          { head: t('dashboard.money.gross'), cell: ({ gross, currency }) => amount(gross, currency) },
          { head: t('dashboard.money.refunds'), cell: ({ refunds, currency }) => amount(refunds, currency) },
          { head: t('dashboard.money.margin'), cell: ({ margin }) => amount(margin) },
        ]}
      />
      <p className="hint">{t('dashboard.money.planMargin')}</p>
    </Part>
  )
}

function Made({ data: { models, engines } }: { data: Money }) {
  const t = translate()
  return (
    <Part title={t('dashboard.money.models')} empty={models.length === 0} csv="costs">
      <Figures
        rows={models}
        keyOf={({ model }) => `${model}`}
        columns={[
          { head: t('dashboard.money.model'), isRowHead: true, cell: ({ model }) => model ?? '—' },
          { head: t('dashboard.money.clips'), cell: ({ clips }) => numberText(clips) },
          { head: t('dashboard.money.credits'), cell: ({ credits }) => numberText(credits) },
          { head: t('dashboard.money.cost'), cell: ({ cost }) => amount(cost) },
          { head: t('dashboard.money.margin'), cell: ({ margin }) => amount(margin) },
        ]}
      />
      <Figures
        rows={engines}
        keyOf={({ engine }) => `${engine}`}
        columns={[
          { head: t('dashboard.money.engine'), isRowHead: true, cell: ({ engine }) => engine ?? '—' },
          { head: t('dashboard.money.clips'), cell: ({ clips }) => numberText(clips) },
          { head: t('dashboard.money.cost'), cell: ({ cost }) => amount(cost) },
        ]}
      />
      <p className="hint">{t('dashboard.money.modelMargin')}</p>
    </Part>
  )
}
