import { translate } from '../../../i18n/client.ts'
import { useLatePart } from '../useLatePart.ts'

/** Opens the pictures that the user has uploaded. */
export function KeptPictures({ onChoose }: { readonly onChoose: (url: string) => void }) {
  const dialog = useLatePart(() => import('./PicturesDialog.tsx'))
  return (
    <>
      <button type="button" className="prompt-tool small" aria-haspopup="dialog" onClick={dialog.open}>
        {translate()('workspace.pictures.heading')}
      </button>
      {dialog.part && <dialog.part.PicturesDialog onChoose={onChoose} onClose={dialog.close} />}
    </>
  )
}
