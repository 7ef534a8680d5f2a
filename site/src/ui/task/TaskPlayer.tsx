import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useState } from 'react'
import { sourceOf, type Task } from '#backend/tasks/contract.ts'
import { madeBy } from '../../api/task/madeBy.ts'
import { $labelled, loadLabelPolicy } from '../../api/videoLabel.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { fileSize } from '../../i18n/fileSize.ts'
import { firstCharacters } from '../../i18n/firstCharacters.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { movementNames } from '../../i18n/movements.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { IconButton } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'
import { Facts } from '../Facts.tsx'
import { Fault } from '../Field.tsx'
import { ShareSection } from './ShareSection.tsx'
import { UnlabelledDownload } from './UnlabelledDownload.tsx'

const TITLE_CHARACTERS = 120

interface TaskPlayerProps {
  readonly task: Task
  readonly onClose: () => void
  /** Shows the previous (-1) or the next (1) video; undefined if there is no other. */
  readonly onStep?: ((by: -1 | 1) => void) | undefined
  /** Buttons for the video. */
  readonly actions?: ReactNode
}

/** Plays a finished video in a dialog, with a way to its neighbours by buttons and arrow keys. */
export function TaskPlayer({ task, onClose, onStep, actions }: TaskPlayerProps) {
  const t = translate()
  const labelled = useStore($labelled)
  useEffect(() => void loadLabelPolicy(), [])
  useArrows(onStep)
  const title = taskTitle(task)
  const start = firstCharacters(title, TITLE_CHARACTERS)
  const isCut = start !== title
  const source = sourceOf(task)
  return (
    <Dialog size={800} title={isCut ? `${start}…` : title} onClose={onClose}>
      <Video key={`video ${task.id}`} task={task} />
      {(onStep || actions) && (
        <div className="row spread player-bar">
          {onStep && (
            <div className="line">
              <IconButton icon="left" label={t('workspace.task.previous')} onClick={() => onStep(-1)} />
              <IconButton icon="right" label={t('workspace.task.next')} onClick={() => onStep(1)} />
            </div>
          )}
          {actions}
        </div>
      )}
      {isCut && <p>{title}</p>}
      {source && <p className="hint">{t(`workspace.task.source.${source}`)}</p>}
      <ShareSection key={`share ${task.id}`} task={task} />
      {labelled && <UnlabelledDownload task={task} />}
      <TaskDetails task={task} />
      <p>
        <a className="link touch" href={localHref(task.url)}>
          {t('workspace.task.filmPage')}
        </a>
      </p>
    </Dialog>
  )
}

/** Steps with the arrow keys, except where they belong to the video or to a field, or another dialog is open. */
function useArrows(onStep: TaskPlayerProps['onStep']): void {
  useEffect(() => {
    if (!onStep) return
    const onKeyDown = (event: KeyboardEvent) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as -1 | 1 | undefined
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return
      if (event.target instanceof Element && event.target.closest('video, input')) return
      if (document.querySelectorAll('dialog[open]').length > 1) return
      event.preventDefault()
      onStep(by)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [onStep])
}

function Video({ task }: { readonly task: Task }) {
  const t = translate()
  const [broken, setBroken] = useState(false)
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: the videos have no sound. */}
      <video
        className="player rounded"
        src={task.video_url ?? undefined}
        poster={task.thumbnail_url ?? undefined}
        aria-label={t('workspace.task.video')}
        controls
        autoPlay
        playsInline
        onError={() => setBroken(true)}
      />
      <div role="alert">{broken && <Fault id="player-fault" text={t('workspace.task.playFailed')} />}</div>
    </>
  )
}

/** Lists a task's settings, size and cost. */
export function TaskDetails({ task }: { task: Task }) {
  const t = translate()
  const created = new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: 'medium', timeStyle: 'short' })
  const names = movementNames()
  const movements = task.camera_movements.map((movement) => names[movement])
  const rows: readonly (readonly [string, string | null])[] = [
    [t('workspace.task.maker'), madeBy(task)],
    [t('workspace.form.resolution'), task.resolution],
    [t('workspace.form.duration'), lengthText(task.video_duration ?? task.duration, t)],
    [t('workspace.form.movements'), movements.length > 0 ? movements.join(' · ') : null],
    [t('workspace.form.optimizer'), t(task.prompt_optimizer ? 'workspace.task.on' : 'workspace.task.off')],
    [t('workspace.form.seed'), task.seed === null ? null : String(task.seed)],
    [t('workspace.task.size'), task.file_size === null ? null : fileSize(task.file_size)],
    [t('workspace.task.creditsUsed'), String(task.credits_consumed)],
    [t('workspace.task.created'), created.format(new Date(task.created_at))],
  ]
  return <Facts className="details rounded" facts={rows.filter((row) => row[1] !== null)} />
}
