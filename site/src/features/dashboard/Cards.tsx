import { useStore } from '@nanostores/react'
import type { ReactNode } from 'react'
import { translate } from '../../i18n/client.ts'
import { Icon } from '../../ui/Icon.tsx'
import { people, today, week } from './board.ts'
import type { Section } from './boardSection.ts'
import { averageText, growthText, numberText, percentText, trendOf } from './figures.ts'

/** Shows four traffic figures and four user figures. */
export function Cards() {
  const t = translate()
  const [traffic, sevenDays, users] = [useStore(today.$section), useStore(week.$section), useStore(people.$section)]
  const registered = (data: NonNullable<typeof users.data>) =>
    data.daily_registrations.slice(-7).reduce((sum, { count }) => sum + count, 0)
  const perDay = (sum: number) => t('dashboard.figures.perDay', { number: averageText(sum / 7) })
  return (
    <>
      <section aria-label={t('dashboard.figures.traffic')}>
        <dl className="board-cards stack gap-3">
          <Card name="pv" of={traffic} value={({ today }) => numberText(today.pv)}>
            {({ growth, yesterday }) => <Growth percent={growth.pv_growth} before={yesterday.pv} />}
          </Card>
          <Card name="uv" of={traffic} value={({ today }) => numberText(today.uv)}>
            {({ growth, yesterday }) => <Growth percent={growth.uv_growth} before={yesterday.uv} />}
          </Card>
          <Card name="pages" of={traffic} value={({ today }) => numberText(today.pages)}>
            {() => t('dashboard.figures.differentPaths')}
          </Card>
          <Card name="weekPv" of={sevenDays} value={({ total_pv }) => numberText(total_pv)}>
            {({ total_pv }) => perDay(total_pv)}
          </Card>
        </dl>
      </section>
      <section aria-label={t('dashboard.figures.users')}>
        <dl className="board-cards stack gap-3">
          <Card name="totalUsers" of={users} value={({ total_users }) => numberText(total_users)}>
            {() => t('dashboard.figures.allAccounts')}
          </Card>
          <Card name="registrations" of={users} value={({ today_registrations }) => numberText(today_registrations)}>
            {(data) => <Growth percent={data.registration_growth} before={data.yesterday_registrations} />}
          </Card>
          <Card
            name="verification"
            of={users}
            value={(data) => (data.total_users > 0 ? percentText(data.verification_rate) : '—')}
          >
            {({ verified_users }) => t('dashboard.figures.verified', { number: numberText(verified_users) })}
          </Card>
          <Card name="weekRegistrations" of={users} value={(data) => numberText(registered(data))}>
            {(data) => perDay(registered(data))}
          </Card>
        </dl>
      </section>
    </>
  )
}

const TONES = { up: 'success', down: 'danger', flat: undefined } as const

interface CardProps<T> {
  readonly name:
    | 'pv'
    | 'uv'
    | 'pages'
    | 'weekPv'
    | 'totalUsers'
    | 'registrations'
    | 'verification'
    | 'weekRegistrations'
  readonly of: Section<T>
  readonly value: (data: T) => string
  /** Renders the line below the number. */
  readonly children: (data: T) => ReactNode
}

function Card<T>({ name, of: { status, data }, value, children }: CardProps<T>) {
  const t = translate()
  return (
    <div className="card board-card stack top" data-figure={name} aria-busy={status === 'loading'}>
      <dt>{t(`dashboard.figures.${name}`)}</dt>
      {data !== null && (
        <>
          <dd className="board-number">{value(data)}</dd>
          <dd className="board-more muted">{children(data)}</dd>
        </>
      )}
      {data === null && status === 'loading' && <dd className="skeleton board-number-skeleton" />}
      {data === null && status !== 'loading' && (
        <>
          <dd className="board-number" aria-hidden="true">
            —
          </dd>
          <dd className="board-more muted">{t('dashboard.unfilled')}</dd>
        </>
      )}
    </div>
  )
}

/** Shows a change with a sign and an arrow, so that it does not rely on colour alone. There is none from nothing. */
function Growth({ percent, before }: { percent: number; before: number }) {
  if (before === 0) return translate()('dashboard.figures.noneYesterday')
  const trend = trendOf(percent)
  return (
    <>
      <span className="board-growth" data-trend={trend} data-tone={TONES[trend]}>
        {trend !== 'flat' && <Icon name={trend} />}
        {growthText(percent)}
      </span>{' '}
      {translate()('dashboard.figures.sinceYesterday')}
    </>
  )
}
