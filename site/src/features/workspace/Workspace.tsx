import { useStore } from '@nanostores/react'
import { lazy, Suspense, useEffect } from 'react'
import { translate } from '../../i18n/client.ts'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { useWide } from '../../ui/useWide.ts'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { GenerationForm } from './GenerationForm.tsx'
import { carryOut } from './handedOver.ts'
import { takeNamedTemplate } from './prompts/template.ts'
import { isFilmFirst } from './stage/filmFirst.ts'
import { $theatre } from './stage/theatre.ts'
import { startVideo } from './startVideo.ts'
import { showInTab } from './tab/showInTab.ts'
import { QueuePlace, StagePlace, WorkspaceSkeleton } from './WorkspaceSkeleton.tsx'
import { $demo, $stage, openWorkspace } from './workspace.ts'

const films = () => import('./films.ts')
const Stage = lazy(async () => ({ default: (await films()).Stage }))
const QueueCard = lazy(async () => ({ default: (await films()).QueueCard }))

/** Shows the form, the stage and the queue: side by side, or below each other on narrow screens. */
export function Workspace() {
  const t = translate()
  const stage = useStore($stage)
  const demo = useStore($demo)
  const theatre = useStore($theatre)
  const wide = useWide()
  const filmFirst = !wide && isFilmFirst()
  useEffect(showInTab, [])
  useEffect(() => void openWorkspace().then(startVideo).then(carryOut).then(takeNamedTemplate), [])
  if (stage === 'away') return null
  if (stage === 'loading')
    return (
      <>
        <div className="frame workspace-wait">
          <LongWait />
        </div>
        <WorkspaceSkeleton />
      </>
    )
  const stagePart = (
    <Suspense key="stage" fallback={<StagePlace />}>
      <Stage />
    </Suspense>
  )
  return (
    <ErrorBoundary>
      <div className="stack stack-wide frame workspace" data-view={theatre ? 'theatre' : undefined}>
        {filmFirst && stagePart}
        <div className="stack workspace-form" key="form">
          <GenerationForm />
          {demo && (
            <Notice tone="info" quiet>
              {t('workspace.demo.notice')}
            </Notice>
          )}
        </div>
        {!filmFirst && stagePart}
        <Suspense key="queue" fallback={<QueuePlace />}>
          <QueueCard />
        </Suspense>
      </div>
    </ErrorBoundary>
  )
}
