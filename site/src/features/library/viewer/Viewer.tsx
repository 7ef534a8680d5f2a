import { useStore } from '@nanostores/react'
import { useEffect, useRef, useState } from 'react'
import { sourceOf, type Task } from '#backend/tasks/contract.ts'
import { $labelled } from '../../../api/videoLabel.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { typedKey } from '../../../ui/keys/typedKey.ts'
import { restoreFocus } from '../../../ui/lists/keepFocus.ts'
import { ShareSection } from '../../../ui/task/ShareSection.tsx'
import { TaskDetails } from '../../../ui/task/TaskPlayer.tsx'
import { UnlabelledDownload } from '../../../ui/task/UnlabelledDownload.tsx'
import { $films, loadMore } from '../library.ts'
import { FilmStage } from './FilmStage.tsx'
import { Lineage } from './Lineage.tsx'
import { type ActionKeys, OthersActions, ViewerActions } from './ViewerActions.tsx'
import './viewer.css'

export interface ViewerProps {
  readonly film: Task
  /** A film to compare it with. */
  readonly compared?: Task | undefined
  readonly onFilm: (film: Task | null) => void
  /** Shows a film as it is now, if it is still shown. */
  readonly onChanged: (film: Task) => void
  readonly onDelete: (film: Task) => void
  readonly onJoin: (films: readonly Task[]) => void
}

/** Fills the window with a film, its actions, and the way to the others; or compares two of them in sync. */
export function Viewer({ film, compared, onFilm, onChanged, onDelete, onJoin }: ViewerProps) {
  const t = translate()
  const { tasks } = useStore($films)
  const labelled = useStore($labelled)
  const [other, setOther] = useState(compared)
  const keys = useRef<ActionKeys>({})
  const neighbour = (of: Task, by: -1 | 1) => {
    const at = tasks.findIndex(({ id }) => id === of.id)
    if (at + by >= tasks.length - 2) void loadMore()
    return tasks[(at + by + tasks.length) % tasks.length]
  }
  /** Shows the previous or the next film: beside a film that is compared, the other one changes. */
  const step = (by: -1 | 1) => {
    if (!other) return onFilm(neighbour(film, by) ?? film)
    const next = neighbour(other, by)
    setOther(next?.id === film.id ? neighbour(next, by) : next)
  }
  const compare = () => setOther(other ? undefined : neighbour(film, 1))
  const many = tasks.length > 1
  const steps: ActionKeys = many ? { arrowleft: () => step(-1), arrowright: () => step(1) } : {}
  useKeys((key) => steps[key] ?? keys.current[key])
  const source = sourceOf(film)
  const isOwn = film.by === null
  const Actions = isOwn ? ViewerActions : OthersActions
  return (
    <ViewerDialog label={taskTitle(film)} onClose={() => onFilm(null)}>
      <div className="viewer-stage">
        {many && <IconButton icon="left" label={t('workspace.task.previous')} onClick={() => step(-1)} />}
        <FilmStage film={film} other={other} />
        {many && <IconButton icon="right" label={t('workspace.task.next')} onClick={() => step(1)} />}
      </div>
      <div className="viewer-panel stack gap-3 top">
        <h2 className="viewer-title">{taskTitle(film)}</h2>
        {film.by && <p className="hint">{t('library.by', { name: film.by.name })}</p>}
        {isOwn && film.visibility === 'team' && <p className="hint">{t('library.shared')}</p>}
        {other && <p className="hint">{t('library.viewer.comparing', { title: taskTitle(other) })}</p>}
        <Actions
          film={film}
          keys={keys}
          onChanged={onChanged}
          onDelete={onDelete}
          onJoin={() => onJoin(other ? [film, other] : [film])}
          onCompare={many ? compare : undefined}
          isComparing={other !== undefined}
        />
        {isOwn && <Lineage film={film} onFilm={onFilm} />}
        <TaskDetails task={film} />
        {source && <p className="hint">{t(`workspace.task.source.${source}`)}</p>}
        {isOwn && <ShareSection key={film.id} task={film} />}
        {isOwn && labelled && <UnlabelledDownload task={film} />}
      </div>
    </ViewerDialog>
  )
}

interface ViewerDialogProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: React.ReactNode
}

function ViewerDialog({ label, onClose, children }: ViewerDialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    if (!ref.current?.open) ref.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement) restoreFocus(opener)
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className="viewer"
      aria-label={label}
      onClose={(event) => {
        // React lets the event of a dialog inside this one bubble.
        if (event.target === ref.current) onClose()
      }}
    >
      {children}
      <IconButton icon="close" label={translate()('common.action.close')} onClick={onClose} />
    </dialog>
  )
}

/** Runs actions by single keys, except where a key belongs to a field or a video, or another dialog is open. */
function useKeys(actionOf: (key: string) => (() => void) | undefined): void {
  const latest = useRef(actionOf)
  latest.current = actionOf
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const typed = typedKey(event)
      if (typed === undefined || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
      if (event.target instanceof Element && event.target.closest('video, input, select, [role="menu"]')) return
      if (document.querySelectorAll('dialog[open]').length > 1) return
      const action = latest.current(typed.toLowerCase())
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
