import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { madeBy } from '../../api/task/madeBy.ts'
import { isFinal, readStatus, stepsOf, stillOf } from '../../api/taskProgress.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { movementNames } from '../../i18n/movements.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { timeAgo } from '../../i18n/timeAgo.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Placeholder } from '../../ui/task/Placeholder.tsx'
import { Progress } from '../../ui/task/Progress.tsx'
import { OtherEngine } from './OtherEngine.tsx'
import { $estimates, $now } from './queue.ts'
import { $shownPercent } from './shownPercent.ts'
import { leftText } from './stage/leftText.ts'
import { TaskActions, type TaskView } from './TaskActions.tsx'
import { endText, failureText, isCancelled, statusText } from './tasks.ts'

interface TaskRowProps {
  readonly task: Task
  readonly onView: (kind: TaskView['kind']) => void
}

/** Shows a task's picture, settings, status and actions. */
export function TaskRow({ task, onView }: TaskRowProps) {
  const t = translate()
  const now = useStore($now)
  const status = readStatus(task.status)
  const title = taskTitle(task)
  const names = movementNames()
  const movements = task.camera_movements.map((movement) => names[movement])
  const parts = [
    madeBy(task),
    `${task.resolution} · ${t('workspace.form.seconds', { count: task.duration })}`,
    ...(movements.length > 0 ? [movements.join(' · ')] : []),
    t('workspace.task.credits', { count: task.credits_consumed }),
    task.team_id && t('workspace.pay.team'),
  ].filter((part) => part !== null)
  return (
    <li className="task stack gap-3" data-status={status} data-task={task.id}>
      <Picture task={task} onView={onView} />
      <div className="task-body">
        <h3 className="task-title" title={title}>
          {title}
        </h3>
        <p className="row hint task-meta">
          {parts.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </p>
        {!isFinal(task) && <OpenTask task={task} />}
        {status === 'Fail' && (
          <p className={isCancelled(task) ? 'hint' : 'task-failed'}>
            {!isCancelled(task) && <Icon name="alert" />}
            <span>
              {failureText(task)} <strong>{t('workspace.task.notCharged')}</strong>
            </span>
          </p>
        )}
        <OtherEngine task={task} />
        <div className="row">
          {isFinal(task) && (
            <span
              className="badge"
              data-tone={status === 'Success' ? 'success' : isCancelled(task) ? undefined : 'danger'}
            >
              {endText(task)}
            </span>
          )}
          <time className="hint" dateTime={task.created_at}>
            {timeAgo(task.created_at, now, t, pageLocale())}
          </time>
          <TaskActions task={task} onView={onView} />
        </div>
      </div>
    </li>
  )
}

/** Shows an open task's progress, queue position and estimated time left. */
function OpenTask({ task }: { task: Task }) {
  const t = translate()
  const estimate = useStore($estimates).get(task.id)
  const percent = useStore($shownPercent)(task)
  const notes = [
    estimate?.position != null && t('workspace.queue.ahead', { position: estimate.position }),
    estimate && leftText(estimate.secondsLeft, t),
  ].filter((note) => typeof note === 'string')
  return (
    <>
      <Progress
        label={t('workspace.task.progress')}
        state={statusText(task)}
        percent={percent}
        steps={stepsOf(percent === null ? { ...task, progress: null } : task)}
      />
      {notes.length > 0 && <p className="hint">{notes.join(' · ')}</p>}
    </>
  )
}

function Picture({ task, onView }: TaskRowProps) {
  const t = translate()
  const still = stillOf(task)
  const picture = still ? <img src={still} alt="" loading="lazy" /> : <Placeholder />
  if (readStatus(task.status) !== 'Success' || !task.video_url)
    return <div className="task-picture clip">{picture}</div>
  // Keyboard and screen reader users have the row's play button; the picture is a larger pointer target.
  return (
    <button
      type="button"
      className="task-picture clip"
      tabIndex={-1}
      aria-hidden="true"
      title={t('workspace.task.play')}
      onClick={() => onView('play')}
    >
      {picture}
      <span className="task-play middle">
        <Icon name="play" />
      </span>
    </button>
  )
}
