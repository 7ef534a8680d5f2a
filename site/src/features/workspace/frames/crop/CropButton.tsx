import { useStore } from '@nanostores/react'
import { flushSync } from 'react-dom'
import type { CropEdges } from '#backend/kernel/media/contract.ts'
import { $models } from '../../../../api/models.ts'
import { translate } from '../../../../i18n/client.ts'
import { Button } from '../../../../ui/Button.tsx'
import { $generation, setOption } from '../../generation.ts'
import { ratioOf } from '../../options/optionRules.ts'
import { useLatePart } from '../../useLatePart.ts'
import type { FrameSlot } from '../frameSlot.ts'

interface CropButtonProps {
  readonly slot: FrameSlot
  /** Moves the focus after a crop is applied. */
  readonly onApplied: () => void
}

/** Opens the crop dialog. A crop to another ratio that the model offers sets the ratio of the video too. */
export function CropButton({ slot, onApplied }: CropButtonProps) {
  const t = translate()
  const dialog = useLatePart(() => import('./CropDialog.tsx'))
  const { original } = useStore(slot.$frame)
  const { model: id, aspectRatio } = useStore($generation)
  const model = useStore($models).find((one) => one.id === id)
  const preferred = ratioOf(model, aspectRatio)
  const ratios = preferred ? [...new Set([preferred, ...(model?.aspectRatios ?? [])])] : ['16:9']
  if (!original) return null
  const apply = (part: CropEdges, ratio: string) => {
    // The dialog gives the focus back to this button, which the upload removes.
    flushSync(dialog.close)
    onApplied()
    if (preferred && ratio !== preferred) setOption('aspectRatio', ratio)
    void slot.crop(part)
  }
  return (
    <>
      <Button label={t('workspace.crop.open')} variant="quiet" icon="crop" busy={dialog.busy} onClick={dialog.open} />
      {dialog.part && (
        <dialog.part.CropDialog src={original.address} ratios={ratios} onCrop={apply} onClose={dialog.close} />
      )}
    </>
  )
}
