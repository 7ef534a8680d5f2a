import { useStore } from '@nanostores/react'
import { useState } from 'react'
import { $models } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { firstFrame } from '../frames/frames.ts'
import { $generation } from '../generation.ts'
import { cropOf } from './optionRules.ts'
import './cropPreview.css'

const WIDE = 16 / 9

/** Shows which part of the picture a cut keeps: of the first frame, or of a wide frame where there is none. */
export function CropPreview() {
  const t = translate()
  const frame = useStore(firstFrame.$frame)
  const { taskType, model, aspectRatio } = useStore($generation)
  const ratio = cropOf(
    useStore($models).find(({ id }) => id === model),
    aspectRatio,
  )
  const picture = taskType === 'image_to_video' && frame.status !== 'none' ? frame.preview : undefined
  const [shape, setShape] = useState(WIDE)
  if (!ratio) return null
  const [across = 16, down = 9] = ratio.split(':').map(Number)
  const whole = picture ? shape : WIDE
  const [width, height] = [Math.min(1, across / down / whole), Math.min(1, (whole * down) / across)]
  const kept = Math.round(width * height * 100)
  if (kept > 97) return null
  return (
    <figure className="line crop-preview">
      <div className="crop-whole" style={{ aspectRatio: whole }}>
        {picture && (
          <img
            src={picture}
            alt=""
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setShape(naturalWidth / naturalHeight)}
          />
        )}
        <div className="crop-kept" style={{ width: `${width * 100}%`, height: `${height * 100}%` }} />
      </div>
      <figcaption className="hint">{t('workspace.ratio.cut', { ratio, kept })}</figcaption>
    </figure>
  )
}
