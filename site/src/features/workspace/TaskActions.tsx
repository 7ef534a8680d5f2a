import { useStore } from '@nanostores/react'
import type { MouseEvent } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { $busyTasks, downloadAddress, downloadVideo, refreshTask } from '../../api/taskActions.ts'
import { isFinal, isWaiting, readStatus } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { costOf, makeAgain, remix } from './remix.ts'
import type { TaskView } from './TaskDialog.tsx'

interface TaskActionsProps {
  readonly task: Task
  readonly onView: (kind: TaskView['kind']) => void
}

/** What can be done with a task in its state. */
export function TaskActions({ task, onView }: TaskActionsProps) {
  const t = translate()
  const busy = useStore($busyTasks).get(task.id)
  const succeeded = readStatus(task.status) === 'Success'
  return (
    <div className="task-actions">
      {succeeded && task.video_url && (
        <IconButton icon="play" label={t('workspace.task.play')} onClick={() => onView('play')} />
      )}
      {succeeded && <Download task={task} busy={busy === 'download'} />}
      {task.thumbnail_url && (
        <IconButton icon="eye" label={t('workspace.task.preview')} onClick={() => onView('preview')} />
      )}
      {!succeeded && (
        <IconButton
          icon="refresh"
          label={t('workspace.task.refresh')}
          busy={busy === 'refresh'}
          onClick={() => void refreshTask(task.id)}
        />
      )}
      {isFinal(task) && (
        <IconButton
          icon="repeat"
          label={t('workspace.task.again', { count: costOf(task) })}
          busy={busy === 'again'}
          onClick={() => void makeAgain(task)}
        />
      )}
      <IconButton icon="sliders" label={t('workspace.task.remix')} onClick={() => startRemix(task)} />
      {(isWaiting(task) || isFinal(task)) && (
        <IconButton
          icon={isWaiting(task) ? 'stop' : 'trash'}
          danger
          label={t(isWaiting(task) ? 'workspace.task.cancel' : 'workspace.task.delete')}
          disabled={busy !== undefined}
          onClick={() => onView('remove')}
        />
      )}
    </div>
  )
}

/** Fills the form and goes to it. */
function startRemix(task: Task): void {
  remix(task)
  document.getElementById('form-heading')?.scrollIntoView({ block: 'start' })
  document.getElementById('prompt')?.focus({ preventScroll: true })
}

function Download({ task, busy }: { task: Task; busy: boolean }) {
  const label = translate()('workspace.task.download')
  const save = (event: MouseEvent) => {
    event.preventDefault()
    void downloadVideo(task)
  }
  if (!task.video_url) return <IconButton icon="download" label={label} onClick={save} />
  // A link, so that it can also be copied or opened elsewhere.
  return (
    <a
      className="icon-button"
      href={downloadAddress(task)}
      download
      aria-label={label}
      aria-busy={busy || undefined}
      title={label}
      onClick={save}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="download" />}
    </a>
  )
}
