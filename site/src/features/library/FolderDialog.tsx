import { useStore } from '@nanostores/react'
import { type FormEvent, useId, useState } from 'react'
import { FOLDER_NAME_MAX } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { sortFilms } from './library.ts'
import { $folders, $marks } from './marks.ts'

interface FolderDialogProps {
  readonly ids: readonly string[]
  readonly onClose: () => void
}

/** Moves videos to a folder that exists or that the user names, or out of their folders. */
export function FolderDialog({ ids, onClose }: FolderDialogProps) {
  const t = translate()
  const id = useId()
  const folders = useStore($folders)
  const marks = useStore($marks)
  const [name, setName] = useState('')
  const [busy, run] = useBusy()
  const move = (folder: string | null) => run(async () => (await sortFilms(ids, { folder })) && onClose())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) void move(name.trim())
  }
  return (
    <Dialog title={t('library.select.move')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <label className="label" htmlFor={id}>
          {t('library.folderName')}
        </label>
        <input
          className="input"
          id={id}
          list={`${id}-folders`}
          maxLength={FOLDER_NAME_MAX}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <datalist id={`${id}-folders`}>
          {folders.map(([folder]) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <p className="hint">{t('library.folderHint')}</p>
        <Button type="submit" label={t('library.moveHere')} variant="primary" busy={busy} disabled={!name.trim()} />
        {ids.some((each) => marks.get(each)?.folder) && (
          <Button label={t('library.moveOut')} variant="outline" busy={busy} onClick={() => void move(null)} />
        )}
      </form>
    </Dialog>
  )
}
