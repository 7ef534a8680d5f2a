import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { localHref, translate } from '../../i18n/client.ts'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { GenerationForm } from './GenerationForm.tsx'
import { QueueCard, QueueSkeleton } from './QueueCard.tsx'
import { $demo, $stage, openWorkspace } from './workspace.ts'

/** Shows the form beside the queue. */
export function Workspace() {
  const t = translate()
  const stage = useStore($stage)
  const demo = useStore($demo)
  useEffect(() => void openWorkspace(), [])
  if (stage === 'away') return null
  if (stage === 'loading') return <Loading />
  return (
    <ErrorBoundary t={t} home={localHref('/')}>
      <div className="workspace">
        <div className="stack workspace-form">
          <GenerationForm />
          {demo && (
            <Notice tone="info" quiet>
              {t('workspace.demo')}
            </Notice>
          )}
        </div>
        <QueueCard />
      </div>
    </ErrorBoundary>
  )
}

function Loading() {
  return (
    <div className="workspace" aria-busy="true">
      <span className="sr-only" role="status">
        {translate()('common.loading')}
      </span>
      <div className="panel card">
        <div className="skeleton skeleton-tabs" />
        <div className="skeleton skeleton-prompt" />
        <div className="skeleton skeleton-line" />
        <div className="skeleton skeleton-line" />
        <div className="skeleton skeleton-line" />
      </div>
      <div className="panel card">
        <QueueSkeleton />
      </div>
    </div>
  )
}
