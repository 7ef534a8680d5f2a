import { useStore } from '@nanostores/react'
import type { ComponentProps } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { $models } from '../../api/models.ts'
import { costOf } from '../../api/task/taskCost.ts'
import { $busyTasks, downloadVideo } from '../../api/taskActions.ts'
import { isFinal, isWaiting, readStatus } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { DownloadLink } from '../../ui/task/DownloadLink.tsx'
import { generateAgain, regenerate, startRemix } from './remix.ts'
import { continueFrom } from './stage/continueFrom.ts'
import { refreshTask } from './tasks.ts'

/** A dialog about a task. */
export interface TaskView {
  readonly kind: 'play' | 'preview' | 'remove'
  readonly task: Task
}

interface TaskActionsProps {
  readonly task: Task
  readonly onView: (kind: TaskView['kind']) => void
  /** Closes the player, if the buttons are in it. */
  readonly leavePlayer?: (() => void) | undefined
  /** Shows the two main buttons with words. */
  readonly words?: boolean
}

const WordButton = (props: ComponentProps<typeof Button>) => <Button variant="outline" {...props} />

/** Buttons for the actions that the task's status allows. The main ones come first. */
export function TaskActions({ task, onView, leavePlayer, words = false }: TaskActionsProps) {
  const t = translate()
  const Main = words ? WordButton : IconButton
  const busy = useStore($busyTasks).get(task.id)
  const succeeded = readStatus(task.status) === 'Success'
  const model = useStore($models).find(({ id }) => id === task.model)
  const higher = model?.regeneratesTo === task.resolution ? undefined : model?.regeneratesTo
  const stops = isWaiting(task) || (readStatus(task.status) === 'Processing' && model?.cancels === true)
  return (
    <div className="task-actions">
      {isFinal(task) && (
        <Main
          icon="repeat"
          label={t('workspace.task.again', { count: costOf(task) })}
          busy={busy === 'again'}
          onClick={() => void generateAgain(task)}
        />
      )}
      {succeeded && task.video_url && (
        <Main
          icon="continue"
          label={t('workspace.task.continue')}
          busy={busy === 'continue'}
          onClick={() => {
            leavePlayer?.()
            void continueFrom(task)
          }}
        />
      )}
      <WatchActions task={task} onView={onView} leavePlayer={leavePlayer} />
      <IconButton
        icon="refresh"
        label={t('workspace.task.refresh')}
        busy={busy === 'refresh'}
        onClick={() => void refreshTask(task.id)}
      />
      {succeeded && higher && (
        <IconButton
          icon="enlarge"
          label={t('workspace.task.regenerate', {
            resolution: higher,
            count: costOf({ ...task, resolution: higher }),
          })}
          busy={busy === 'regenerate'}
          onClick={() => void regenerate(task, higher)}
        />
      )}
      <IconButton
        icon="sliders"
        label={t('workspace.task.remix')}
        onClick={() => {
          leavePlayer?.()
          startRemix(task)
        }}
      />
      {(stops || isFinal(task)) && (
        <IconButton
          icon={stops ? 'stop' : 'trash'}
          danger
          label={t(stops ? 'workspace.task.cancel' : 'workspace.task.delete')}
          busy={busy === 'remove'}
          disabled={busy !== undefined && busy !== 'remove'}
          onClick={() => onView('remove')}
        />
      )}
    </div>
  )
}

function WatchActions({ task, onView, leavePlayer }: TaskActionsProps) {
  const t = translate()
  const succeeded = readStatus(task.status) === 'Success'
  return (
    <>
      {succeeded && task.video_url && !leavePlayer && (
        <IconButton icon="play" label={t('workspace.task.play')} onClick={() => onView('play')} />
      )}
      {succeeded && task.video_url && <DownloadLink task={task} label={t('workspace.task.download')} />}
      {succeeded && !task.video_url && (
        <IconButton icon="download" label={t('workspace.task.download')} onClick={() => void downloadVideo(task)} />
      )}
      {task.thumbnail_url && !leavePlayer && (
        <IconButton icon="eye" label={t('workspace.task.preview')} onClick={() => onView('preview')} />
      )}
    </>
  )
}
