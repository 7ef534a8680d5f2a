import { useStore } from '@nanostores/react'
import { useDeferredValue, useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import type { TaskView } from '../TaskActions.tsx'
import { TaskDialog } from '../TaskDialog.tsx'
import { $tasks } from '../tasks.ts'
import { useLatePart } from '../useLatePart.ts'
import { StageSkeleton } from '../WorkspaceSkeleton.tsx'
import { comparableTakes } from './comparableTakes.ts'
import { Film } from './Film.tsx'
import { Filmstrip } from './Filmstrip.tsx'
import { FirstRun } from './FirstRun.tsx'
import { KeySheet } from './KeySheet.tsx'
import { useKeys } from './keys.ts'
import { TakeCaption } from './TakeCaption.tsx'
import { $current, $takes } from './takes.ts'
import { $theatre, setTheatre } from './theatre.ts'

/** The current take as a film, its actions, and the strip of all takes. */
export function Stage() {
  const t = translate()
  // The strip marks the chosen take in the next frame; the film follows.
  const take = useDeferredValue(useStore($current))
  const takes = useStore($takes)
  const compared = take ? comparableTakes(takes, take) : []
  const { status } = useStore($tasks)
  const theatre = useStore($theatre)
  const [view, setView] = useState<TaskView | null>(null)
  const comparison = useLatePart(() => import('./CompareDialog.tsx'))
  const [help, setHelp] = useState(false)
  useKeys({ onView: setView, onHelp: () => setHelp(true) })
  return (
    <section className="stage stack gap-3 min-0" aria-labelledby="stage-heading" id="stage" tabIndex={-1}>
      <div className="line stage-head">
        <h2 id="stage-heading" className="panel-title">
          {t('workspace.stage.heading')}
        </h2>
        {compared.length > 0 && (
          <Button
            variant="quiet"
            icon="columns"
            label={t('workspace.compare.heading')}
            busy={comparison.busy}
            onClick={comparison.open}
          />
        )}
        <div className="stage-theatre">
          <Button
            variant="quiet"
            icon="film"
            label={t('workspace.stage.theatre')}
            aria-pressed={theatre}
            onClick={() => setTheatre(!theatre)}
          />
        </div>
        <IconButton icon="keyboard" label={t('workspace.keys.heading')} onClick={() => setHelp(true)} />
      </div>
      {take ? (
        <>
          <Film task={take} />
          <div className="stage-below stack gap-3" ref={keepFocus}>
            <Filmstrip />
            <TakeCaption task={take} onView={(kind) => setView({ kind, task: take })} />
          </div>
        </>
      ) : status === 'loading' ? (
        <StageSkeleton />
      ) : (
        <FirstRun />
      )}
      {view && <TaskDialog view={view} onView={setView} />}
      {comparison.part && compared.length > 0 && (
        <comparison.part.CompareDialog takes={compared} onClose={comparison.close} />
      )}
      {help && <KeySheet onClose={() => setHelp(false)} />}
    </section>
  )
}
