import { useEffect, useRef, useState } from 'react'
import { FOLDER_NAME_MAX, listPictures, namePicture, type Picture } from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'

interface PicturesDialogProps {
  readonly onChoose: (url: string) => void
  readonly onClose: () => void
}

/** The user's uploaded pictures: one is chosen again, and a name keeps one. */
export function PicturesDialog({ onChoose, onClose }: PicturesDialogProps) {
  const t = translate()
  const [pictures, setPictures] = useState<readonly Picture[] | 'failed'>()
  useEffect(() => {
    call(listPictures).then(
      (answer) => setPictures(answer.pictures),
      () => setPictures('failed'),
    )
  }, [])
  const known = typeof pictures === 'object' ? pictures : []
  return (
    <Dialog title={t('workspace.pictures.heading')} size={600} onClose={onClose}>
      <p className="muted">{t('workspace.pictures.lead')}</p>
      <ul className="pictures" aria-busy={pictures === undefined || undefined}>
        {known.map((picture, at) => (
          <li className="stack gap-1" key={picture.id}>
            <button
              type="button"
              className="template-picture clip rounded"
              aria-label={t('workspace.pictures.choose', { name: picture.name ?? at + 1 })}
              onClick={() => {
                onClose()
                onChoose(picture.image_url)
              }}
            >
              <img src={picture.image_url} alt="" loading="lazy" />
            </button>
            <Name picture={picture} />
          </li>
        ))}
      </ul>
      <div role="status">
        {typeof pictures === 'object' && known.length === 0 && <p>{t('workspace.pictures.none')}</p>}
        {pictures === 'failed' && <Notice tone="danger">{t('workspace.queue.loadFailed')}</Notice>}
      </div>
    </Dialog>
  )
}

/** The name of a picture, which is stored when the field is left. */
function Name({ picture: { id, name } }: { readonly picture: Picture }) {
  const t = translate()
  const [text, setText] = useState(name ?? '')
  const stored = useRef(name ?? '')
  const store = () => {
    const before = stored.current
    if (text.trim() === before) return
    stored.current = text.trim()
    call(namePicture, { params: { id }, body: { name: text.trim() || null } }).catch((error) => {
      stored.current = before
      showToast('danger', errorText(error))
    })
  }
  return (
    <input
      className="input small"
      aria-label={t('workspace.pictures.name')}
      placeholder={t('workspace.pictures.name')}
      maxLength={FOLDER_NAME_MAX}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={store}
    />
  )
}
