import { translate } from '../../i18n/client.ts'
import { fileSize } from '../../i18n/fileSize.ts'
import { Facts } from '../../ui/Facts.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { copies } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

type State = NonNullable<ReturnType<typeof copies.$section.get>['data']>

/** Shows when a nightly backup was last proven restorable. */
export function Backup() {
  const t = translate()
  const when = (iso: string | null | undefined) => (iso ? <Time iso={iso} /> : t('dashboard.backup.never'))
  return (
    <Panel
      name="backup"
      section={copies}
      empty={{ text: t('dashboard.backup.off'), when: ({ configured }) => !configured }}
    >
      {(state) => (
        <>
          <Fault state={state} />
          <Facts
            className="board-facts"
            facts={[
              [t('dashboard.backup.proven'), when(state.proven_at)],
              [t('dashboard.backup.newest'), when(state.copy?.taken_at)],
              ...(state.copy
                ? ([
                    [t('dashboard.backup.files'), numberText(state.copy.files)],
                    [t('dashboard.backup.size'), fileSize(state.copy.bytes)],
                  ] as const)
                : []),
            ]}
          />
        </>
      )}
    </Panel>
  )
}

function Fault({ state: { has_phrase, overdue, failure } }: { state: State }) {
  const t = translate()
  if (!has_phrase)
    return (
      <Notice tone="danger">
        {t('dashboard.backup.noPhrase')} <code>npm run -s recovery-phrase</code>
      </Notice>
    )
  if (!overdue && !failure) return null
  return (
    <Notice tone={overdue ? 'danger' : 'warning'}>
      <strong>{t(overdue ? 'dashboard.backup.overdue' : 'dashboard.backup.failed')}</strong>
      {failure && (
        <p>
          <Time iso={failure.at} /> {failure.reason}
        </p>
      )}
    </Notice>
  )
}
