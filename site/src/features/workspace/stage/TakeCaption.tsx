import type { Task } from '#backend/tasks/contract.ts'
import { madeBy } from '../../../api/task/madeBy.ts'
import { isFinal, readStatus } from '../../../api/taskProgress.ts'
import { translate } from '../../../i18n/client.ts'
import { movementNames } from '../../../i18n/movements.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { TakeActions, type TaskView } from '../TaskActions.tsx'

interface TakeCaptionProps {
  readonly task: Task
  readonly onView: (kind: TaskView['kind']) => void
}

/** The prompt, the settings and the actions of the take on the stage. */
export function TakeCaption({ task, onView }: TakeCaptionProps) {
  const t = translate()
  const names = movementNames()
  const count = task.credits_consumed
  const price =
    readStatus(task.status) === 'Success'
      ? t('workspace.stage.charged', { count })
      : t('workspace.stage.held', { count })
  const facts = [
    madeBy(task),
    task.resolution,
    t('workspace.form.seconds', { count: task.duration }),
    task.aspect_ratio,
    ...task.camera_movements.map((movement) => names[movement]),
    task.seed === null ? null : t('workspace.stage.seed', { seed: String(task.seed) }),
    readStatus(task.status) === 'Fail' ? null : price,
  ].filter((fact) => fact != null)
  return (
    <div className="caption stack top">
      <h3 className="task-title" title={taskTitle(task)}>
        {taskTitle(task)}
      </h3>
      <ul className="row" aria-label={t('workspace.stage.settings')}>
        {facts.map((fact) => (
          <li className="chip chip-plain" key={fact}>
            {fact}
          </li>
        ))}
      </ul>
      <TakeActions task={task} onView={onView} />
      {!isFinal(task) && <p className="hint">{t('workspace.stage.leave')}</p>}
    </div>
  )
}
