import { useStore } from '@nanostores/react'
import { API_BASE } from '#backend/http/contract.ts'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { isFinal, isWaiting, readStatus } from '../../stores/taskProgress.ts'
import { $busyTasks, refreshTask } from '../../stores/tasks.ts'
import { showToast } from '../../stores/toasts.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import type { TaskView } from './TaskDialog.tsx'

interface TaskActionsProps {
  readonly task: Task
  readonly onView: (kind: TaskView['kind']) => void
}

/** What can be done with a task in its state. */
export function TaskActions({ task, onView }: TaskActionsProps) {
  const t = translate()
  const busy = useStore($busyTasks).has(task.id)
  const succeeded = readStatus(task.status) === 'Success'
  return (
    <div className="task-actions">
      {succeeded && task.video_url && (
        <IconButton icon="play" label={t('workspace.task.play')} onClick={() => onView('play')} />
      )}
      {succeeded && <Download task={task} />}
      {task.thumbnail_url && (
        <IconButton icon="eye" label={t('workspace.task.preview')} onClick={() => onView('preview')} />
      )}
      {!isFinal(task) && (
        <IconButton
          icon="refresh"
          label={t('workspace.task.refresh')}
          busy={busy}
          onClick={() => void refreshTask(task.id)}
        />
      )}
      {isWaiting(task) && (
        <IconButton
          icon="stop"
          danger
          label={t('workspace.task.cancel')}
          disabled={busy}
          onClick={() => onView('remove')}
        />
      )}
      {isFinal(task) && (
        <IconButton
          icon="trash"
          danger
          label={t('workspace.task.delete')}
          disabled={busy}
          onClick={() => onView('remove')}
        />
      )}
    </div>
  )
}

function Download({ task }: { task: Task }) {
  const t = translate()
  const label = t('workspace.task.download')
  if (!task.video_url)
    return <IconButton icon="download" label={label} onClick={() => showToast('danger', t('workspace.task.noVideo'))} />
  return (
    <a
      className="icon-button"
      href={`${API_BASE}/videos/download/${task.id}`}
      download
      aria-label={label}
      title={label}
    >
      <Icon name="download" />
    </a>
  )
}
