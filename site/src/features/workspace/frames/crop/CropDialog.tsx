import { useCallback, useEffect, useRef, useState } from 'react'
import type { CropEdges } from '#backend/kernel/media/contract.ts'
import { codeText } from '../../../../api/errorText.ts'
import { textAt, translate } from '../../../../i18n/client.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Choices } from '../../../../ui/Choices.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { Fault } from '../../../../ui/Field.tsx'
import { loadImage } from '../../../../ui/pictures/readPicture.ts'
import { drawPart } from '../../../../ui/pictures/toJpeg.ts'
import { RetryNotice } from '../../../../ui/RetryNotice.tsx'
import { CENTRED, type Crop, cropBox, cropEdges, maxZoom, panned, zoomed } from './cropRules.ts'
import { watchPointers } from './watchPointers.ts'

/** Longer side of the view, in pixels. */
const VIEW = 960
const widthOver = (ratio: string) => {
  const [width = 16, height = 9] = ratio.split(':').map(Number)
  return width / height
}

interface CropDialogProps {
  /** Address of the whole image. */
  readonly src: string
  /** Aspect ratios to choose from, the preferred one first. */
  readonly ratios: readonly string[]
  readonly onCrop: (part: CropEdges, ratio: string) => void
  readonly onClose: () => void
}

/** Cuts an image to a ratio, by drag, pinch and wheel or by labelled sliders. */
export function CropDialog({ src, ratios, onCrop, onClose }: CropDialogProps) {
  const t = translate()
  const [image, failed, retry] = useImage(src)
  const [ratio, setRatio] = useState(ratios[0] ?? '16:9')
  const [crop, setCrop] = useState(CENTRED)
  const size = { width: image?.naturalWidth ?? 1, height: image?.naturalHeight ?? 1 }
  const most = maxZoom(size, widthOver(ratio))
  const isSmall = image !== null && most < 1
  const foot = (
    <>
      <Button onClick={onClose}>{t('common.action.cancel')}</Button>
      <Button
        label={t('common.action.apply')}
        variant="primary"
        disabled={!image || isSmall}
        onClick={() => onCrop(cropEdges(size, widthOver(ratio), crop), ratio)}
      />
    </>
  )
  const slider = (name: 'x' | 'y' | 'zoom', label: string, max: number, isFree: boolean) => (
    <label className="crop-slider stack gap-3">
      <span className="label">{label}</span>
      <input
        type="range"
        min={name === 'zoom' ? 1 : 0}
        max={max}
        step={0.01}
        value={crop[name]}
        aria-valuetext={`${Math.round(crop[name] * 100)}%`}
        disabled={!image || !isFree}
        onChange={(event) => setCrop({ ...crop, [name]: Number(event.currentTarget.value) })}
      />
    </label>
  )
  const box = cropBox(size, widthOver(ratio), crop)
  return (
    <Dialog size={600} title={t('workspace.crop.heading')} onClose={onClose} foot={foot}>
      {ratios.length > 1 && (
        <Choices
          label={t('workspace.form.ratio')}
          value={ratio}
          options={ratios.map((value) => {
            const note = textAt(`workspace.ratio.${value}`)
            return { value, label: value, ...(note ? { note } : {}) }
          })}
          onChange={(value) => {
            setRatio(value)
            setCrop(CENTRED)
          }}
        />
      )}
      {!failed && <CropView image={image} ratio={widthOver(ratio)} crop={crop} onCrop={setCrop} />}
      <div role="alert">
        {failed && <RetryNotice tone="danger" text={codeText('image_unreadable')} onRetry={retry} />}
        {isSmall && <Fault id="crop-fault" text={codeText('image_too_small')} />}
      </div>
      <p className="hint">{t('workspace.crop.hint')}</p>
      {slider('zoom', t('workspace.crop.zoom'), Math.max(1, most), most > 1)}
      {slider('x', t('workspace.crop.across'), 1, size.width - box.width > 0.5)}
      {slider('y', t('workspace.crop.along'), 1, size.height - box.height > 0.5)}
    </Dialog>
  )
}

/** Returns an image once it can be drawn, whether it cannot be read, and a function that reads it again. */
function useImage(src: string): [HTMLImageElement | null, boolean, () => void] {
  const [image, setImage] = useState<HTMLImageElement | null>(null)
  const [failed, setFailed] = useState(false)
  const load = useCallback(() => {
    setFailed(false)
    loadImage(src).then(setImage, () => setFailed(true))
  }, [src])
  useEffect(load, [load])
  return [image, failed, load]
}

interface CropViewProps {
  readonly image: HTMLImageElement | null
  readonly ratio: number
  readonly crop: Crop
  readonly onCrop: (change: (crop: Crop) => Crop) => void
}

/** The part that is kept, over a grid of thirds. */
function CropView({ image, ratio, crop, onCrop }: CropViewProps) {
  const ref = useRef<HTMLCanvasElement>(null)
  const [width, height] = ratio > 1 ? [VIEW, Math.round(VIEW / ratio)] : [Math.round(VIEW * ratio), VIEW]
  useEffect(() => {
    if (!ref.current || !image) return
    const size = { width: image.naturalWidth, height: image.naturalHeight }
    const context = drawPart(ref.current, image, cropBox(size, ratio, crop))
    if (!context) return
    context.fillStyle = 'rgb(255 255 255 / 0.4)'
    for (const third of [1 / 3, 2 / 3]) {
      context.fillRect(Math.round(width * third), 0, 3, height)
      context.fillRect(0, Math.round(height * third), width, 3)
    }
  }, [image, ratio, crop, width, height])
  useEffect(() => {
    const canvas = ref.current
    if (!canvas || !image) return
    const size = { width: image.naturalWidth, height: image.naturalHeight }
    return watchPointers(canvas, {
      pan: (right, down) =>
        onCrop((now) => {
          const scale = cropBox(size, ratio, now).width / canvas.clientWidth
          return panned(size, ratio, now, -right * scale, -down * scale)
        }),
      zoom: (factor) => onCrop((now) => zoomed(size, ratio, now, factor)),
    })
  }, [image, ratio, onCrop])
  return (
    <canvas
      ref={ref}
      className="crop-view rounded"
      width={width}
      height={height}
      role="img"
      aria-label={translate()('workspace.crop.view')}
    />
  )
}
