import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { $models } from '../../api/models.ts'
import { costOf } from '../../api/task/taskCost.ts'
import { $busyTasks, downloadVideo, type TaskAction } from '../../api/taskActions.ts'
import { isFinal, isWaiting, readStatus } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Menu, type MenuItem } from '../../ui/Menu.tsx'
import { DownloadLink } from '../../ui/task/DownloadLink.tsx'
import { generateAgain, regenerate, startRemix } from './remix.ts'
import { continueFrom } from './stage/continueFrom.ts'
import { $singleKeys } from './stage/singleKeys.ts'
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
}

type Actions = Readonly<Partial<Record<TaskAction | 'play' | 'preview' | 'remix', MenuItem>>>

/** Returns the actions that the task's status allows. */
function useActions({ task, onView, leavePlayer }: TaskActionsProps): Actions {
  const t = translate()
  const model = useStore($models).find(({ id }) => id === task.model)
  const final = isFinal(task)
  const film = readStatus(task.status) === 'Success'
  const higher = film && model?.regeneratesTo !== task.resolution ? model?.regeneratesTo : undefined
  const stops = isWaiting(task) || (readStatus(task.status) === 'Processing' && model?.cancels === true)
  const act = (icon: IconName, label: string, onSelect: () => unknown, keys?: string): MenuItem => ({
    icon,
    label,
    onSelect: () => void onSelect(),
    ...(keys && { keys }),
  })
  const leaving = (work: () => unknown) => () => {
    leavePlayer?.()
    return work()
  }
  const again = t('workspace.task.again', { count: costOf(task) })
  const inHigher = (resolution: string) =>
    t('workspace.task.regenerate', { resolution, count: costOf({ ...task, resolution }) })
  return {
    ...(final && { again: act('repeat', again, () => generateAgain(task), 'R') }),
    ...(film &&
      task.video_url && {
        continue: act(
          'continue',
          t('workspace.task.continue'),
          leaving(() => continueFrom(task)),
          'E',
        ),
        ...(!leavePlayer && { play: act('play', t('workspace.task.play'), () => onView('play')) }),
      }),
    ...(film && { download: act('download', t('workspace.task.download'), () => downloadVideo(task), 'D') }),
    refresh: act('refresh', t('workspace.task.refresh'), () => refreshTask(task.id)),
    ...(task.thumbnail_url &&
      !leavePlayer && { preview: act('eye', t('workspace.task.preview'), () => onView('preview')) }),
    ...(higher && { regenerate: act('enlarge', inHigher(higher), () => regenerate(task, higher)) }),
    remix: act(
      'sliders',
      t('workspace.task.remix'),
      leaving(() => startRemix(task)),
      'U',
    ),
    ...(stops && { remove: { ...act('stop', t('workspace.task.cancel'), () => onView('remove')), danger: true } }),
    ...(final && {
      remove: { ...act('trash', t('workspace.task.delete'), () => onView('remove'), 'Del'), danger: true },
    }),
  }
}

const listed = (...items: readonly (MenuItem | undefined)[]) => items.filter((item) => item !== undefined)

/** A task's actions in a list: icons to watch, keep and remove it, and a menu of those that make another. */
export function TaskActions(props: TaskActionsProps) {
  const { task } = props
  const { again, continue: goOn, play, download, refresh, preview, regenerate, remix, remove } = useActions(props)
  const busy = useStore($busyTasks).get(task.id)
  const icon = (item: MenuItem | undefined, action?: TaskAction) =>
    item && (
      <IconButton
        icon={item.icon}
        label={item.label}
        danger={item.danger}
        busy={action !== undefined && busy === action}
        disabled={action === 'remove' && busy !== undefined && busy !== 'remove'}
        onClick={item.onSelect}
      />
    )
  return (
    <div className="task-actions">
      {icon(play)}
      {download && (task.video_url ? <DownloadLink task={task} label={download.label} /> : icon(download))}
      {icon(refresh, 'refresh')}
      {icon(preview)}
      {icon(remove, 'remove')}
      <Menu
        compact
        label={translate()('workspace.task.more')}
        busy={busy === 'again' || busy === 'continue' || busy === 'regenerate'}
        items={listed(again, goOn, regenerate, remix).map(({ keys: _, ...item }) => item)}
      />
    </div>
  )
}

/** The actions of the take on the stage: the main ones with words, and a menu of the others with their shortcuts. */
export function TakeActions(props: TaskActionsProps) {
  const t = translate()
  const { again, continue: goOn, play, download, refresh, preview, regenerate, remix, remove } = useActions(props)
  const busy = useStore($busyTasks).get(props.task.id)
  const singleKeys = useStore($singleKeys)
  const stop = isFinal(props.task) ? undefined : remove
  const word = (item: MenuItem | undefined, action: TaskAction) =>
    item && (
      <Button
        variant="outline"
        icon={item.icon}
        label={item.label}
        busy={busy === action}
        aria-keyshortcuts={singleKeys ? item.keys : undefined}
        onClick={item.onSelect}
      />
    )
  const others = listed(play, download, preview, regenerate, remix, refresh, stop ? undefined : remove)
  return (
    <div className="task-actions">
      {word(again, 'again')}
      {word(goOn, 'continue')}
      {word(stop, 'remove')}
      <Menu
        label={t('workspace.task.more')}
        busy={busy !== undefined && busy !== 'again' && busy !== 'continue'}
        items={singleKeys ? others : others.map(({ keys: _, ...item }) => item)}
      />
    </div>
  )
}
