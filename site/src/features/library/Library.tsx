import { useStore } from '@nanostores/react'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { Films } from './Films.tsx'
import { FilterBar } from './FilterBar.tsx'
import { JoinProgress } from './join/JoinProgress.tsx'
import { $clips, editClips } from './join/joins.ts'
import { $films, $library, openLibrary } from './library.ts'
import { $marksFailed, loadMarks } from './marks.ts'
import { openNamed } from './openNamed.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { $selection, stopSelecting } from './selection.ts'
import { TemplatesButton } from './TemplatesButton.tsx'

const Viewer = lazy(async () => ({ default: (await import('./viewer/Viewer.tsx')).Viewer }))
const JoinDialog = lazy(async () => ({ default: (await import('./join/JoinDialog.tsx')).JoinDialog }))

/** Shows the user's finished videos, and what can be done with them. */
export function Library() {
  const t = translate()
  const stage = useStore($library)
  const { total, status } = useStore($films)
  const marksFailed = useStore($marksFailed)
  const selection = useStore($selection)
  const clips = useStore($clips)
  const [films, setFilms] = useState<readonly Task[]>([])
  const [doomed, setDoomed] = useState<readonly string[] | null>(null)
  // The same on each render: another one makes all tiles again.
  const open = useCallback((film: Task) => setFilms([film]), [])
  useEffect(() => void openLibrary().then(() => openNamed(open)), [open])
  if (stage === 'away') return null
  const known = status !== 'loading' && status !== 'failed'
  const [film, compared] = films
  const join = (chosen: readonly Task[]) => {
    setFilms([])
    stopSelecting()
    void editClips(chosen)
  }
  return (
    <ErrorBoundary>
      <div className="row spread library-head">
        <p className="muted" role="status">
          {known ? t('library.count', { count: total }) : ' '}
        </p>
        <div className="row">
          <TemplatesButton />
          <LinkButton label={t('works.create')} variant="primary" to="/workspace" />
        </div>
      </div>
      {stage === 'loading' && <LongWait />}
      {marksFailed && <RetryNotice tone="warning" text={t('library.marksFailed')} onRetry={loadMarks} />}
      <JoinProgress />
      <FilterBar />
      <Films onOpen={open} />
      {selection && (
        <SelectionBar
          selection={selection}
          onDelete={() => setDoomed([...selection])}
          onCompare={setFilms}
          onJoin={join}
        />
      )}
      <Suspense>
        {film && (
          <Viewer
            film={film}
            compared={compared}
            onFilm={(next) => setFilms(next ? [next] : [])}
            onChanged={(now) => setFilms((shown) => shown.map((each) => (each.id === now.id ? now : each)))}
            onDelete={(task) => setDoomed([task.id])}
            onJoin={join}
          />
        )}
        {clips && <JoinDialog clips={clips} onClips={(next) => $clips.set(next)} onClose={() => $clips.set(null)} />}
      </Suspense>
      {doomed && (
        <DeleteDialog
          ids={doomed}
          onDeleted={(gone) => setFilms((shown) => (shown.some(({ id }) => gone.has(id)) ? [] : shown))}
          onClose={() => setDoomed(null)}
        />
      )}
    </ErrorBoundary>
  )
}
