import { useStore } from '@nanostores/react'
import { translate } from '../../i18n/client.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { $downloaded, deleteFilms } from './selection.ts'

interface DeleteDialogProps {
  readonly ids: readonly string[]
  readonly onDeleted: (gone: ReadonlySet<string>) => void
  readonly onClose: () => void
}

/** Asks before it deletes videos. */
export function DeleteDialog({ ids, onDeleted, onClose }: DeleteDialogProps) {
  const t = translate()
  const downloaded = useStore($downloaded)
  return (
    <ConfirmDialog
      title={t('library.deleteTitle', { count: ids.length })}
      confirm={t('works.delete.confirm')}
      onConfirm={() => void deleteFilms(ids).then(onDeleted)}
      onClose={onClose}
    >
      <p>{ids.length === 1 ? t('works.delete.text') : t('library.deleteText')}</p>
      {ids.some((id) => downloaded.has(id)) && <p>{t('library.deleteDownload')}</p>}
    </ConfirmDialog>
  )
}
