import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { timeAgo } from '../../lib/timeAgo.ts'
import { isFinal, percentOf, readStatus, stepsOf } from '../../stores/taskProgress.ts'
import { failureText } from '../../stores/tasks.ts'
import { $now } from '../../stores/workspace.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { Placeholder } from './Placeholder.tsx'
import { TaskActions } from './TaskActions.tsx'
import type { TaskView } from './TaskDialog.tsx'
import { titleOf } from './titleOf.ts'

interface TaskRowProps {
  readonly task: Task
  readonly onView: (kind: TaskView['kind']) => void
}

/** One task: its picture, what it is, how far it is, and what can be done with it. */
export function TaskRow({ task, onView }: TaskRowProps) {
  const t = translate()
  const now = useStore($now)
  const status = readStatus(task.status)
  const title = titleOf(task)
  const parts = [
    task.model,
    task.resolution,
    t('workspace.form.seconds', { count: task.duration }),
    timeAgo(task.created_at, now, t, pageLocale()),
    t('workspace.task.credits', { count: task.credits_consumed }),
  ]
  return (
    <li className="task" data-status={status} data-task={task.id}>
      <Picture task={task} onView={onView} />
      <div className="task-body">
        <h3 className="task-title" title={title}>
          {title}
        </h3>
        <p className="task-meta">
          {parts.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </p>
        {!isFinal(task) && (
          <Progress
            label={t('workspace.task.progress')}
            state={t(`workspace.status.${status ?? 'unknown'}`)}
            percent={percentOf(task)}
            steps={stepsOf(task)}
          />
        )}
        {status === 'Fail' && (
          <p className="task-failed">
            <span className="badge" data-tone="danger">
              {t('workspace.status.Fail')}
            </span>
            <span>
              {failureText(task)} {t('workspace.task.notCharged')}
            </span>
          </p>
        )}
        <div className="task-foot">
          {status === 'Success' && (
            <span className="badge" data-tone="success">
              {t('workspace.status.Success')}
            </span>
          )}
          <TaskActions task={task} onView={onView} />
        </div>
      </div>
    </li>
  )
}

function Picture({ task, onView }: TaskRowProps) {
  const t = translate()
  const still = task.thumbnail_url ?? task.first_frame_image_url
  const picture = still ? <img src={still} alt="" loading="lazy" /> : <Placeholder />
  if (readStatus(task.status) !== 'Success' || !task.video_url) return <div className="task-picture">{picture}</div>
  // The row's play button is the one in the keyboard's order; the picture is a larger target for the pointer.
  return (
    <button
      type="button"
      className="task-picture"
      tabIndex={-1}
      aria-hidden="true"
      title={t('workspace.task.play')}
      onClick={() => onView('play')}
    >
      {picture}
      <span className="task-play">
        <Icon name="play" />
      </span>
    </button>
  )
}
