import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { translate } from '../../i18n/client.ts'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { GenerationForm } from './GenerationForm.tsx'
import { QueueCard } from './QueueCard.tsx'
import { Stage } from './stage/Stage.tsx'
import { $theatre } from './stage/theatre.ts'
import { startVideo } from './startVideo.ts'
import { WorkspaceSkeleton } from './WorkspaceSkeleton.tsx'
import { $demo, $stage, openWorkspace } from './workspace.ts'

/** Shows the generation form next to the task queue. */
export function Workspace() {
  const t = translate()
  const stage = useStore($stage)
  const demo = useStore($demo)
  const theatre = useStore($theatre)
  useEffect(() => void openWorkspace().then(startVideo), [])
  if (stage === 'away') return null
  if (stage === 'loading') return <WorkspaceSkeleton />
  return (
    <ErrorBoundary>
      <div className="stack stack-wide frame workspace" data-view={theatre ? 'theatre' : undefined}>
        <div className="stack workspace-form">
          <GenerationForm />
          {demo && (
            <Notice tone="info" quiet>
              {t('workspace.demo.notice')}
            </Notice>
          )}
        </div>
        <div className="stack stack-wide workspace-stage">
          <Stage />
          <QueueCard />
        </div>
      </div>
    </ErrorBoundary>
  )
}
