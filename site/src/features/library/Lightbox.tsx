import { useStore } from '@nanostores/react'
import { useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { type Handover, handOver } from '../../api/task/handover.ts'
import { costOf } from '../../api/task/taskCost.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { IconButton } from '../../ui/Button.tsx'
import { DownloadLink } from '../../ui/task/DownloadLink.tsx'
import { TaskPlayer } from '../../ui/task/TaskPlayer.tsx'
import { FolderDialog } from './FolderDialog.tsx'
import { $films, loadMore, markFilms } from './library.ts'
import { $marks } from './marks.ts'

interface LightboxProps {
  readonly film: Task
  readonly onFilm: (film: Task | null) => void
  readonly onDelete: (film: Task) => void
}

/** The player with all actions and the way to the other videos. */
export function Lightbox({ film, onFilm, onDelete }: LightboxProps) {
  const { tasks } = useStore($films)
  const at = tasks.findIndex(({ id }) => id === film.id)
  const step = (by: -1 | 1) => {
    if (at + by >= tasks.length - 2) void loadMore()
    onFilm(tasks[(at + by + tasks.length) % tasks.length] ?? film)
  }
  return (
    <TaskPlayer
      task={film}
      onClose={() => onFilm(null)}
      onStep={tasks.length > 1 ? step : undefined}
      actions={<Actions film={film} onDelete={onDelete} />}
    />
  )
}

function Actions({ film, onDelete }: Pick<LightboxProps, 'film' | 'onDelete'>) {
  const t = translate()
  const mark = useStore($marks).get(film.id)
  const [moving, setMoving] = useState(false)
  const favourite = mark?.favourite ?? false
  const credits = costOf(film)
  const goOn = (action: Handover['action']) => {
    handOver({ action, id: film.id, credits })
    location.assign(localHref('/workspace'))
  }
  return (
    <div className="task-actions">
      <IconButton
        icon="heart"
        label={t('library.favourites')}
        aria-pressed={favourite}
        onClick={() => void markFilms([film.id], { favourite: !favourite })}
      />
      <IconButton icon="folder" label={t('library.select.move')} onClick={() => setMoving(true)} />
      <DownloadLink task={film} label={t('workspace.task.download')} />
      <IconButton icon="repeat" label={t('workspace.task.again', { count: credits })} onClick={() => goOn('again')} />
      <IconButton icon="continue" label={t('workspace.task.continue')} onClick={() => goOn('continue')} />
      <IconButton icon="sliders" label={t('workspace.task.remix')} onClick={() => goOn('remix')} />
      <IconButton icon="trash" danger label={t('workspace.task.delete')} onClick={() => onDelete(film)} />
      {moving && <FolderDialog ids={[film.id]} onClose={() => setMoving(false)} />}
    </div>
  )
}
