import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { translate } from '../../i18n/client.ts'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { useWide } from '../../ui/useWide.ts'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { GenerationForm } from './GenerationForm.tsx'
import { carryOut } from './handedOver.ts'
import { takeNamedTemplate } from './prompts/template.ts'
import { QueueCard } from './QueueCard.tsx'
import { isFilmFirst } from './stage/filmFirst.ts'
import { Stage } from './stage/Stage.tsx'
import { $theatre } from './stage/theatre.ts'
import { startVideo } from './startVideo.ts'
import { showInTab } from './tab/showInTab.ts'
import { WorkspaceSkeleton } from './WorkspaceSkeleton.tsx'
import { $demo, $stage, openWorkspace } from './workspace.ts'

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
  return (
    <ErrorBoundary>
      <div className="stack stack-wide frame workspace" data-view={theatre ? 'theatre' : undefined}>
        {filmFirst && <Stage key="stage" />}
        <div className="stack workspace-form" key="form">
          <GenerationForm />
          {demo && (
            <Notice tone="info" quiet>
              {t('workspace.demo.notice')}
            </Notice>
          )}
        </div>
        {!filmFirst && <Stage key="stage" />}
        <QueueCard key="queue" />
      </div>
    </ErrorBoundary>
  )
}
