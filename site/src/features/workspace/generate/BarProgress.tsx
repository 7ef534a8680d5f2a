import { useStore } from '@nanostores/react'
import type { CSSProperties } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, stillOf } from '../../../api/taskProgress.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Placeholder } from '../../../ui/task/Placeholder.tsx'
import { $estimates } from '../queue.ts'
import { $shownPercent } from '../shownPercent.ts'
import { leftText } from '../stage/leftText.ts'
import { endText, statusText } from '../tasks.ts'
import { goToPrompt } from './PromptLine.tsx'
import { stopWatching } from './watched.ts'

/** The progress of the newest take in the bar of a phone, with the way back to the form. */
export function BarProgress({ task }: { readonly task: Task }) {
  const t = translate()
  const estimate = useStore($estimates).get(task.id)
  const percent = useStore($shownPercent)(task)
  const still = stillOf(task)
  const back = () => {
    stopWatching()
    goToPrompt()
  }
  return (
    <div className="line bar-progress" style={{ '--part': (percent ?? 0) / 100 } as CSSProperties}>
      <div className="bar-picture rounded">{still ? <img src={still} alt="" /> : <Placeholder />}</div>
      <p className="bar-text grow min-0">
        <strong>{isFinal(task) ? endText(task) : percent === null ? statusText(task) : `${percent}%`}</strong>
        {estimate && !isFinal(task) && <span className="hint">{leftText(estimate.secondsLeft, t)}</span>}
      </p>
      <Button label={t('workspace.stage.new')} variant="outline" onClick={back} />
    </div>
  )
}
