import { useStore } from '@nanostores/react'
import type { Now as State } from '#backend/operators/contract.ts'
import { translate } from '../../i18n/client.ts'
import type { Translate } from '../../i18n/keys.ts'
import { Notice } from '../../ui/Notice.tsx'
import { $zone, now } from './board.ts'
import { timeText } from './figures.ts'

/** What needs the operator now, as links; one line if nothing does. Alerts are shown in full. */
export function Now() {
  const t = translate()
  const { data, error } = useStore(now.$section)
  if (!data)
    return error === undefined ? (
      <div className="skeleton board-now-skeleton" />
    ) : (
      <Notice tone="danger">{t('dashboard.unread')}</Notice>
    )
  const items = itemsOf(data, t)
  return (
    <section className="stack board-now" aria-labelledby="now-heading">
      <Alerts alerts={data.alerts} />
      <div className="card row board-now-items" data-tone={items.length > 0 ? 'warning' : 'success'}>
        <h2 id="now-heading">{t('dashboard.now.heading')}</h2>
        {items.length === 0 ? (
          <p className="muted">{t('dashboard.now.nothing')}</p>
        ) : (
          <ul className="row">
            {items.map(([href, text, isUrgent]) => (
              <li key={text}>
                <a className="touch bold" href={href} data-tone={isUrgent ? 'danger' : undefined}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}

/** Returns the address, the text and the urgency of each thing, without alerts. */
function itemsOf({ cases, approvals, parked, stuck, backup }: State, t: Translate) {
  const items: [href: string, text: string, isUrgent: boolean][] = cases.map(({ kind, count, overdue }) => [
    '#cases-heading',
    overdue > 0
      ? t('dashboard.now.overdue', { kind: t(`dashboard.cases.kinds.${kind}`), count, overdue })
      : t('dashboard.now.cases', { kind: t(`dashboard.cases.kinds.${kind}`), count }),
    overdue > 0,
  ])
  if (approvals > 0) items.push(['#operators', t('dashboard.now.approvals', { count: approvals }), false])
  if (parked > 0) items.push(['#parked-heading', t('dashboard.now.parked', { count: parked }), true])
  if (stuck > 0) items.push(['#tasks-heading', t('dashboard.now.stuck', { count: stuck }), false])
  if (backup) items.push(['#backup-heading', t(`dashboard.now.backup.${backup}`), backup !== 'failed'])
  return items
}

function Alerts({ alerts }: Pick<State, 'alerts'>) {
  const t = translate()
  const zone = useStore($zone)
  if (alerts.length === 0) return null
  return (
    <Notice tone="danger">
      <strong>{t('dashboard.tasks.alerts')}</strong>
      <ul>
        {alerts.map(({ code, detail, since, times }) => (
          <li key={code + since}>
            <code>{code}</code> <span className="anywhere">{detail}</span> ·{' '}
            {t('dashboard.tasks.times', { count: times, time: timeText(since, zone, 'minute') })}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
