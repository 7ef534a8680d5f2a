import { useStore } from '@nanostores/react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { loadTexts } from '../../i18n/lateTexts.ts'
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

const loadStage = async () => (await import('./films.ts')).Stage
const loadQueue = async () => (await import('./films.ts')).QueueCard

interface LateProps {
  readonly load: () => Promise<ComponentType>
  readonly place: ReactNode
}

/** Shows a component that loads after the form. `lazy` of React would show it a pause later. @throws Error it cannot be loaded */
function Late({ load, place }: LateProps) {
  const [loaded, setLoaded] = useState<{ Part: ComponentType }>()
  useEffect(() => {
    Promise.all([load(), loadTexts()]).then(
      ([Part]) => setLoaded({ Part }),
      (error) =>
        setLoaded(() => {
          throw error
        }),
    )
  }, [load])
  return loaded ? <loaded.Part /> : place
}

/** Shows the form, the stage and the queue: side by side, or below each other on narrow screens. */
export function Workspace() {
  const t = translate()
  const stage = useStore($stage)
  const demo = useStore($demo)
  const theatre = useStore($theatre)
  const wide = useWide()
  const filmFirst = !wide && isFilmFirst()
  // Faults that the form shows by then get their words.
  const [, setTexts] = useState(false)
  useEffect(() => void loadTexts().then(() => setTexts(true)), [])
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
  const stagePart = <Late key="stage" load={loadStage} place={<StagePlace />} />
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
        <Late key="queue" load={loadQueue} place={<QueuePlace />} />
      </div>
    </ErrorBoundary>
  )
}
