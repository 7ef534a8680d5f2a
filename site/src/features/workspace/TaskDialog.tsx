import { useStore } from '@nanostores/react'
import { flushSync } from 'react-dom'
import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, readStatus } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TaskDetails, TaskPlayer } from '../../ui/task/TaskPlayer.tsx'
import { $takes } from './stage/takes.ts'
import { TaskActions, type TaskView } from './TaskActions.tsx'
import { cancelOpenTask, removeTask } from './tasks.ts'

interface TaskDialogProps {
  readonly view: TaskView
  readonly onView: (view: TaskView | null) => void
}

/** Shows the player, the preview or the delete confirmation of a task. */
export function TaskDialog({ view: { kind, task }, onView }: TaskDialogProps) {
  const t = translate()
  const onClose = () => onView(null)
  switch (kind) {
    case 'play':
      return <Lightbox task={task} onView={onView} />
    case 'preview':
      return (
        <Dialog size={600} title={t('workspace.task.preview')} onClose={onClose}>
          <img className="player rounded" src={task.thumbnail_url ?? undefined} alt={taskTitle(task)} />
          <p>{taskTitle(task)}</p>
          <TaskDetails task={task} />
        </Dialog>
      )
    case 'remove':
      return <Removal task={task} onClose={onClose} />
  }
}

/** The player with all actions and the way to the other videos. */
function Lightbox({ task, onView }: { readonly task: Task; readonly onView: TaskDialogProps['onView'] }) {
  const takes = useStore($takes)
  const films = takes.filter(({ status, video_url }) => readStatus(status) === 'Success' && video_url)
  const at = films.findIndex(({ id }) => id === task.id)
  const step = (by: -1 | 1) => {
    const next = films[(at + by + films.length) % films.length]
    if (next) onView({ kind: 'play', task: next })
  }
  // Before an action that moves the focus to the form.
  const leave = () => flushSync(() => onView(null))
  return (
    <TaskPlayer
      task={films[at] ?? task}
      onClose={() => onView(null)}
      onStep={films.length > 1 ? step : undefined}
      actions={<TaskActions task={task} onView={(kind) => onView({ kind, task })} leavePlayer={leave} />}
    />
  )
}

function Removal({ task, onClose }: { task: Task; onClose: () => void }) {
  const t = translate()
  const waiting = !isFinal(task)
  const remove = waiting ? cancelOpenTask : removeTask
  return (
    <ConfirmDialog
      title={t(waiting ? 'workspace.confirm.cancelTitle' : 'workspace.confirm.deleteTitle')}
      confirm={t(waiting ? 'workspace.confirm.cancelYes' : 'workspace.confirm.deleteYes')}
      keep={t(waiting ? 'workspace.confirm.keep' : 'common.action.cancel')}
      onConfirm={() => void remove(task)}
      onClose={onClose}
    >
      <p>
        {waiting
          ? t('workspace.confirm.cancelText', { count: task.credits_consumed })
          : t('workspace.confirm.deleteText')}
      </p>
      <p className="muted excerpt">{taskTitle(task)}</p>
    </ConfirmDialog>
  )
}
