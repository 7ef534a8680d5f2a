import { useState } from 'react'
import { CAMERA_MOVEMENTS, type Task } from '#backend/tasks/contract.ts'
import { removeTask } from '../../api/taskActions.ts'
import { isWaiting } from '../../api/taskProgress.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { fileSize } from '../../i18n/fileSize.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Fault } from '../../ui/Field.tsx'
import { titleOf } from './titleOf.ts'

export interface TaskView {
  readonly kind: 'play' | 'preview' | 'remove'
  readonly task: Task
}

interface TaskDialogProps {
  readonly view: TaskView
  readonly onClose: () => void
}

/** The window over the queue: the player, the preview, or the question before a task is taken away. */
export function TaskDialog({ view, onClose }: TaskDialogProps) {
  switch (view.kind) {
    case 'play':
      return <Player task={view.task} onClose={onClose} />
    case 'preview':
      return <Preview task={view.task} onClose={onClose} />
    case 'remove':
      return <Removal task={view.task} onClose={onClose} />
  }
}

interface Shown {
  readonly task: Task
  readonly onClose: () => void
}

function Player({ task, onClose }: Shown) {
  const t = translate()
  const [broken, setBroken] = useState(false)
  return (
    <Dialog size={800} title={titleOf(task).slice(0, 120)} closeLabel={t('common.action.close')} onClose={onClose}>
      {/* biome-ignore lint/a11y/useMediaCaption: the videos are made without sound or speech. */}
      <video
        className="player"
        src={task.video_url ?? undefined}
        poster={task.thumbnail_url ?? undefined}
        aria-label={t('workspace.task.video')}
        controls
        autoPlay
        playsInline
        onError={() => setBroken(true)}
      />
      <div role="alert">{broken && <Fault id="player-fault" text={t('workspace.task.playFailed')} />}</div>
      <Details task={task} />
    </Dialog>
  )
}

function Preview({ task, onClose }: Shown) {
  const t = translate()
  return (
    <Dialog size={600} title={t('workspace.task.preview')} closeLabel={t('common.action.close')} onClose={onClose}>
      <img className="player" src={task.thumbnail_url ?? undefined} alt={titleOf(task)} />
      <p>{titleOf(task)}</p>
      <Details task={task} />
    </Dialog>
  )
}

function Details({ task }: { task: Task }) {
  const t = translate()
  const created = new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: 'medium', timeStyle: 'short' })
  const movements = task.camera_movements.map((movement) => t(`movements.name.${CAMERA_MOVEMENTS[movement].key}`))
  const rows: readonly (readonly [string, string | null])[] = [
    [t('workspace.form.model'), task.model],
    [t('workspace.form.resolution'), task.resolution],
    [t('workspace.form.duration'), lengthText(task.video_duration ?? task.duration, t)],
    [t('workspace.form.movements'), movements.length > 0 ? movements.join(' · ') : null],
    [t('workspace.form.optimizer'), t(task.prompt_optimizer ? 'workspace.task.on' : 'workspace.task.off')],
    [t('workspace.task.size'), task.file_size === null ? null : fileSize(task.file_size)],
    [t('workspace.task.creditsUsed'), String(task.credits_consumed)],
    [t('workspace.task.created'), created.format(new Date(task.created_at))],
  ]
  return (
    <dl className="details">
      {rows.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

function Removal({ task, onClose }: Shown) {
  const t = translate()
  const waiting = isWaiting(task)
  const confirm = () => {
    onClose()
    void removeTask(task)
  }
  return (
    <Dialog
      title={t(waiting ? 'workspace.confirm.cancelTitle' : 'workspace.confirm.deleteTitle')}
      closeLabel={t('common.action.close')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t(waiting ? 'workspace.confirm.keep' : 'common.action.cancel')}</Button>
          <Button look="danger" onClick={confirm}>
            {t(waiting ? 'workspace.confirm.cancelYes' : 'workspace.confirm.deleteYes')}
          </Button>
        </>
      }
    >
      <p>
        {waiting
          ? t('workspace.confirm.cancelText', { count: task.credits_consumed })
          : t('workspace.confirm.deleteText')}
      </p>
      <p className="muted">{titleOf(task)}</p>
    </Dialog>
  )
}
