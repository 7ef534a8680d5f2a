import { useStore } from '@nanostores/react'
import { useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { Button } from '../../../ui/Button.tsx'
import { $films, loadMore } from '../library.ts'

/** Adds a film of the library to those that are joined. */
export function AddClip({ onAdd }: { readonly onAdd: (film: Task) => void }) {
  const t = translate()
  const { tasks, total } = useStore($films)
  const [open, setOpen] = useState(false)
  if (!open) return <Button label={t('library.join.add')} icon="plus" variant="outline" onClick={() => setOpen(true)} />
  return (
    <fieldset className="join-add">
      <legend className="label">{t('library.join.add')}</legend>
      {tasks.map((film) => (
        <button
          type="button"
          key={film.id}
          aria-label={taskTitle(film)}
          title={taskTitle(film)}
          onClick={() => onAdd(film)}
        >
          {film.thumbnail_url && <img className="cover" src={film.thumbnail_url} alt="" loading="lazy" />}
        </button>
      ))}
      {tasks.length < total && (
        <Button label={t('library.join.more')} variant="quiet" onClick={() => void loadMore()} />
      )}
    </fieldset>
  )
}
