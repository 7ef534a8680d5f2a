import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { Films } from './Films.tsx'
import { FilterBar } from './FilterBar.tsx'
import { Lightbox } from './Lightbox.tsx'
import { $films, $library, openLibrary } from './library.ts'
import { $marksFailed, loadMarks } from './marks.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { $selection } from './selection.ts'

/** Shows the user's finished videos, and what can be done with them. */
export function Library() {
  const t = translate()
  const stage = useStore($library)
  const { total, status } = useStore($films)
  const marksFailed = useStore($marksFailed)
  const selection = useStore($selection)
  const [film, setFilm] = useState<Task | null>(null)
  const [doomed, setDoomed] = useState<readonly string[] | null>(null)
  useEffect(() => void openLibrary(), [])
  if (stage === 'away') return null
  const known = status !== 'loading' && status !== 'failed'
  return (
    <ErrorBoundary>
      <div className="row spread library-head">
        <p className="muted" role="status">
          {known ? t('library.count', { count: total }) : ' '}
        </p>
        <LinkButton label={t('works.create')} variant="primary" to="/workspace" />
      </div>
      {stage === 'loading' && <LongWait />}
      {marksFailed && <RetryNotice tone="warning" text={t('library.marksFailed')} onRetry={loadMarks} />}
      <FilterBar />
      <Films onOpen={setFilm} />
      {selection && <SelectionBar selection={selection} onDelete={() => setDoomed([...selection])} />}
      {film && <Lightbox film={film} onFilm={setFilm} onDelete={(task) => setDoomed([task.id])} />}
      {doomed && (
        <DeleteDialog
          ids={doomed}
          onDeleted={(gone) => setFilm((shown) => (shown && gone.has(shown.id) ? null : shown))}
          onClose={() => setDoomed(null)}
        />
      )}
    </ErrorBoundary>
  )
}
