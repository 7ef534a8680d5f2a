import { useStore } from '@nanostores/react'
import type { ReactNode } from 'react'
import { operatorFactors } from '#backend/operators/contract.ts'
import { call } from '../../api/api.ts'
import { startDownload } from '../../api/taskActions.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { csvAddress } from './board.ts'
import type { BoardSection } from './boardSection.ts'

type PanelName =
  | 'trend'
  | 'hours'
  | 'ranking'
  | 'sources'
  | 'visits'
  | 'users'
  | 'live'
  | 'tasks'
  | 'engines'
  | 'graphs'
  | 'margin'
  | ListName
  | 'backup'
  | 'operators'
  | 'waiting'
  | 'triage'
/** Lists of the board with page buttons. */
export type ListName = 'actions' | 'cases' | 'security' | 'keys' | 'codes' | 'outbox' | 'parked'

interface PanelProps<T> {
  /** Name of the section in the catalogue and in its class. */
  readonly name: PanelName
  readonly section: BoardSection<T>
  /** Whether a failure is reported at the top of the page. */
  readonly core?: boolean
  /** URL of the section's CSV export. */
  readonly csv?: string
  /** Called instead of opening the CSV export. */
  readonly onCsv?: () => void
  /** Content next to the heading. */
  readonly aside?: ReactNode
  /** Text shown if `when` returns true for the data. */
  readonly empty?: { readonly text: string; readonly when: (data: T) => boolean }
  readonly children: (data: T) => ReactNode
}

/** Dashboard section with loading, error and empty states. */
export function Panel<T>(props: PanelProps<T>) {
  const { name, csv, onCsv, aside, empty } = props
  const t = translate()
  const { status, data, error } = useStore(props.section.$section)
  // An empty panel is one line.
  const isEmpty = data !== null && error === undefined && empty?.when(data) === true
  const heading = t(`dashboard.${name}.heading`)
  return (
    <section
      className={`stack card board-panel board-${name}${isEmpty ? ' board-empty' : ''}`}
      aria-labelledby={`${name}-heading`}
      aria-busy={status === 'loading'}
    >
      <div className="row board-panel-head">
        <h2 id={`${name}-heading`}>{heading}</h2>
        {isEmpty && <p className="muted board-empty-text">{empty?.text}</p>}
        {aside}
        {csv && (
          <a
            className="touch hint board-csv plain bold"
            href={csv}
            download
            aria-label={t('dashboard.csvOf', { table: heading })}
            onClick={
              onCsv &&
              ((event) => {
                event.preventDefault()
                onCsv()
              })
            }
          >
            <Icon name="download" />
            {t('dashboard.csv')}
          </a>
        )}
      </div>
      {!isEmpty && <Body {...props} />}
    </section>
  )
}

function Body<T>({ section, core = false, empty, children }: PanelProps<T>) {
  const t = translate()
  const { status, data, error } = useStore(section.$section)
  const shown =
    data !== null && (empty?.when(data) ? <p className="board-none stack gap-3">{empty.text}</p> : children(data))
  if (error !== undefined && !core)
    return (
      <>
        <div className="board-none stack gap-3" role="alert">
          <p>{t('dashboard.unread')}</p>
          <Button
            label={t('dashboard.reload')}
            icon="refresh"
            variant="outline"
            busy={status === 'loading'}
            onClick={() => void section.load()}
          />
        </div>
        {shown}
      </>
    )
  if (shown) return shown
  if (status === 'loading') return <div className="skeleton board-skeleton" />
  return <p className="board-none stack gap-3">{t('dashboard.unfilled')}</p>
}

/** Returns the panel's export of personal data, which needs a step-up if the operator has a second factor. */
export function usePersonalExport(table: 'users' | 'visits' | 'actions') {
  const { guard, dialog } = useStepUp(operatorFactors)
  const csv = csvAddress(table)
  const download = async () => {
    await guard(() => call(operatorFactors.checkStepUp))
    startDownload(csv)
  }
  return { csv, onCsv: () => void download().catch(() => {}), aside: dialog }
}
