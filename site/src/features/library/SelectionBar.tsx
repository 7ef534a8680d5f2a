import { useStore } from '@nanostores/react'
import { useLayoutEffect, useRef, useState } from 'react'
import { JOIN_MAX_CLIPS, type Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { FolderDialog } from './FolderDialog.tsx'
import { $films, sortFilms } from './library.ts'
import { $marks } from './marks.ts'
import { downloadSelected, selectAll, stopSelecting } from './selection.ts'

interface SelectionBarProps {
  readonly selection: ReadonlySet<string>
  readonly onDelete: () => void
  readonly onCompare: (films: readonly Task[]) => void
  readonly onJoin: (films: readonly Task[]) => void
}

/** Says how many videos are selected, and does something with all of them. */
export function SelectionBar({ selection, onDelete, onCompare, onJoin }: SelectionBarProps) {
  const t = translate()
  const marks = useStore($marks)
  const [moving, setMoving] = useState(false)
  const [loading, download] = useBusy()
  const ids = [...selection]
  const none = ids.length === 0
  /** The selected videos, in the order of their selection. */
  const films = () => ids.flatMap((id) => $films.get().tasks.find((film) => film.id === id) ?? [])
  const all = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    // After a deletion, the button that has the focus is disabled.
    if (none && document.activeElement?.matches('.library-selection :disabled')) all.current?.focus()
  }, [none])
  const areFavourites = !none && ids.every((id) => marks.get(id)?.favourite)
  return (
    <section className="library-selection row" aria-label={t('library.select.label')}>
      <strong role="status">{t('library.select.count', { count: ids.length })}</strong>
      <Button ref={all} label={t('library.select.all')} variant="quiet" onClick={selectAll} />
      <Button
        label={t('library.select.download')}
        icon="download"
        disabled={none}
        busy={loading}
        onClick={() => download(downloadSelected)}
      />
      <Button
        label={t('library.join.open')}
        icon="film"
        disabled={ids.length < 2 || ids.length > JOIN_MAX_CLIPS}
        onClick={() => onJoin(films())}
      />
      {ids.length === 2 && (
        <Button label={t('library.viewer.compare')} icon="columns" onClick={() => onCompare(films())} />
      )}
      <Button
        label={t(areFavourites ? 'library.select.unfavourite' : 'library.select.favourite')}
        icon="heart"
        disabled={none}
        onClick={() => void sortFilms(ids, { favourite: !areFavourites })}
      />
      <Button label={t('library.select.move')} icon="folder" disabled={none} onClick={() => setMoving(true)} />
      <Button label={t('works.delete.confirm')} icon="trash" disabled={none} onClick={onDelete} />
      <IconButton icon="close" label={t('library.select.stop')} onClick={stopSelecting} />
      {moving && <FolderDialog ids={ids} onClose={() => setMoving(false)} />}
    </section>
  )
}
