import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, isWaiting } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TaskDetails, TaskPlayer } from '../../ui/task/TaskPlayer.tsx'
import { cancelRender, removeTask } from './tasks.ts'

export interface TaskView {
  readonly kind: 'play' | 'preview' | 'remove'
  readonly task: Task
}

/** Shows the player, the preview or the delete confirmation of a task. */
export function TaskDialog({ view: { kind, task }, onClose }: { view: TaskView; onClose: () => void }) {
  const t = translate()
  switch (kind) {
    case 'play':
      return <TaskPlayer task={task} onClose={onClose} />
    case 'preview':
      return (
        <Dialog size={600} title={t('workspace.task.preview')} onClose={onClose}>
          <img className="player" src={task.thumbnail_url ?? undefined} alt={taskTitle(task)} />
          <p>{taskTitle(task)}</p>
          <TaskDetails task={task} />
        </Dialog>
      )
    case 'remove':
      return <Removal task={task} onClose={onClose} />
  }
}

function Removal({ task, onClose }: { task: Task; onClose: () => void }) {
  const t = translate()
  const waiting = !isFinal(task)
  const remove = isWaiting(task) || isFinal(task) ? removeTask : cancelRender
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
      <p className="muted">{taskTitle(task)}</p>
    </ConfirmDialog>
  )
}
