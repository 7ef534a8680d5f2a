import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { costOf } from '../../../api/task/taskCost.ts'
import { $busyTasks } from '../../../api/taskActions.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { OtherEngine } from '../OtherEngine.tsx'
import { generateAgain, startRemix } from '../remix.ts'

/** What to do about a film that failed: the same again, something else, or another engine. */
export function NextSteps({ task }: { readonly task: Task }) {
  const t = translate()
  const busy = useStore($busyTasks).get(task.id)
  return (
    <div className="row next-steps">
      <Button
        variant="primary"
        icon="repeat"
        label={t('workspace.task.tryAgain', { count: costOf(task) })}
        busy={busy === 'again'}
        onClick={() => void generateAgain(task)}
      />
      <Button variant="outline" icon="sliders" label={t('workspace.task.edit')} onClick={() => startRemix(task)} />
      <OtherEngine task={task} />
    </div>
  )
}
