import { useStore } from '@nanostores/react'
import { textAt, translate } from '../../i18n/client.ts'
import type { Translate } from '../../i18n/keys.ts'
import { Facts } from '../../ui/Facts.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Table } from '../../ui/Table.tsx'
import { $choice, $zone, csvAddress, tasks } from './board.ts'
import { numberText, percentText, timeText } from './figures.ts'
import { Panel } from './Panel.tsx'

type Health = NonNullable<ReturnType<typeof tasks.$section.get>['data']>

function waitText(seconds: number | null, t: Translate): string {
  if (seconds === null) return t('dashboard.tasks.none')
  if (seconds < 60) return t('dashboard.tasks.seconds', { count: Math.round(seconds) })
  if (seconds < 3600) return t('dashboard.tasks.minutes', { count: Math.round(seconds / 60) })
  return t('dashboard.tasks.hours', { count: Math.round(seconds / 360) / 10 })
}

/** Shows the queue, task results and failure reasons. */
export function TaskHealth() {
  const t = translate()
  useStore($choice)
  return (
    <Panel name="tasks" section={tasks} csv={csvAddress('failures', true)}>
      {(health) => (
        <>
          <Stuck health={health} />
          <Facts className="board-facts" facts={factsOf(health, t)} />
          <Failures failures={health.failures} />
          <LatestFailures failures={health.latest_failures} />
        </>
      )}
    </Panel>
  )
}

function factsOf({ queue, ended }: Health, t: Translate): readonly (readonly [string, string])[] {
  const all = ended.succeeded + ended.failed
  return [
    [t('dashboard.tasks.waiting'), numberText(queue.waiting)],
    [t('dashboard.tasks.processing'), numberText(queue.processing)],
    [t('dashboard.tasks.oldest'), waitText(queue.oldest_waiting_seconds, t)],
    [t('dashboard.tasks.succeeded'), numberText(ended.succeeded)],
    [t('dashboard.tasks.failed'), numberText(ended.failed)],
    [t('dashboard.tasks.rate'), all ? percentText((ended.succeeded / all) * 100) : '—'],
  ]
}

function Stuck({ health: { stuck } }: { health: Health }) {
  const t = translate()
  const zone = useStore($zone)
  if (stuck.length === 0) return <p className="hint">{t('dashboard.tasks.noStuck')}</p>
  return (
    <Notice tone="warning">
      <strong>{t('dashboard.tasks.stuck', { count: stuck.length })}</strong>
      <ul>
        {stuck.map(({ task_id, status, since }) => (
          <li key={task_id}>
            <code>{task_id}</code> {textAt(`dashboard.tasks.status.${status}`) ?? status}{' '}
            {t('dashboard.tasks.since', { time: timeText(since, zone, 'minute') })}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Failures({ failures }: { failures: Health['failures'] }) {
  const t = translate()
  if (failures.length === 0) return <p className="board-none stack gap-3">{t('dashboard.tasks.noFailures')}</p>
  return (
    <Table
      className="board-table"
      rows={failures}
      keyOf={({ code }) => code}
      columns={[
        {
          head: t('dashboard.tasks.reason'),
          isRowHead: true,
          cell: ({ code }) => textAt(`dashboard.tasks.code.${code}`) ?? code,
        },
        { head: t('dashboard.tasks.count'), className: 'number', cell: ({ count }) => numberText(count) },
      ]}
    />
  )
}

/** Lists the latest failures with the engine and what it said. */
function LatestFailures({ failures }: { failures: Health['latest_failures'] }) {
  const t = translate()
  const zone = useStore($zone)
  if (failures.length === 0) return null
  return (
    <details>
      <summary>{t('dashboard.tasks.latest')}</summary>
      <Table
        className="table-lines board-table board-lines"
        rows={failures}
        keyOf={({ task_id }) => task_id}
        columns={[
          { head: t('dashboard.tasks.when'), cell: ({ at }) => timeText(at, zone, 'minute') },
          {
            head: t('dashboard.tasks.engine'),
            cell: ({ engine, engine_model }) => [engine, engine_model].filter(Boolean).join(' · ') || '—',
          },
          {
            head: t('dashboard.tasks.sentence'),
            isRowHead: true,
            cell: ({ code, detail, task_id }) => (
              <>
                {textAt(`dashboard.tasks.code.${code}`) ?? code}: {detail} <code>{task_id}</code>
              </>
            ),
          },
        ]}
      />
    </details>
  )
}
