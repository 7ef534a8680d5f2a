import { useStore } from '@nanostores/react'
import type { ReadableAtom } from 'nanostores'
import type { ReactNode } from 'react'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import type { Section } from './boardSection.ts'

interface PanelProps<T> {
  readonly name: string
  readonly heading: string
  readonly section: ReadableAtom<Section<T>>
  /** Reads it again; left out where the whole board says that it failed. */
  readonly onRetry?: () => void
  /** The address of its table as a file. */
  readonly csv?: string
  /** Beside the heading. */
  readonly aside?: ReactNode
  /** What is said where there is nothing to show. */
  readonly empty?: { readonly text: string; readonly when: (data: T) => boolean }
  readonly children: (data: T) => ReactNode
}

/** A part of the board in every state that it can be in. */
export function Panel<T>(props: PanelProps<T>) {
  const { name, heading, csv, aside } = props
  const t = translate()
  const { status } = useStore(props.section)
  return (
    <section
      className={`card board-panel board-${name}`}
      aria-labelledby={`${name}-heading`}
      aria-busy={status === 'loading'}
    >
      <div className="board-panel-head">
        <h2 id={`${name}-heading`}>{heading}</h2>
        {aside}
        {csv && (
          <a className="board-csv" href={csv} download aria-label={t('dashboard.csvOf', { table: heading })}>
            <Icon name="download" />
            {t('dashboard.csv')}
          </a>
        )}
      </div>
      <Body {...props} />
    </section>
  )
}

function Body<T>({ section, onRetry, empty, children }: PanelProps<T>) {
  const t = translate()
  const { status, data } = useStore(section)
  const shown = data !== null && (empty?.when(data) ? <p className="board-none">{empty.text}</p> : children(data))
  if (status === 'failed' && onRetry)
    return (
      <>
        <div className="board-none" role="alert">
          <p>{t('dashboard.unread')}</p>
          <Button icon="refresh" look="outline" onClick={onRetry}>
            {t('dashboard.reload')}
          </Button>
        </div>
        {shown}
      </>
    )
  if (shown) return shown
  if (status === 'loading') return <div className="skeleton board-skeleton" />
  return <p className="board-none">{t('dashboard.unfilled')}</p>
}
