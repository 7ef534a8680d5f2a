import { useEffect, useRef } from 'react'
import { translate } from '../../../i18n/client.ts'
import { isMotionReduced } from '../../../ui/isMotionReduced.ts'

const [WIDTH, HEIGHT] = [640, 360]
/** Length of the movement and of the rest after it, in milliseconds. */
const [MOVE_MS, REST_MS] = [2_800, 600]

interface DepthPreviewProps {
  readonly src: string
  readonly movements: readonly string[]
  /** Length of the clip in seconds. */
  readonly seconds: number
}

/** Previews camera movements on a picture, with estimated depth. Under reduced motion it shows the end. */
export function DepthPreview({ src, movements, seconds }: DepthPreviewProps) {
  const t = translate()
  const canvas = useRef<HTMLCanvasElement>(null)
  const chosen = movements.join()
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    let frame = 0
    let isGone = false
    const start = async () => {
      const image = new Image()
      image.src = src
      // The maths loads with the dialog, not with the page.
      const [{ createDepthPicture, drawDepth, pathOf }] = await Promise.all([import('./drawDepth.ts'), image.decode()])
      if (isGone) return
      const picture = createDepthPicture(image, WIDTH, HEIGHT)
      const path = pathOf(chosen === '' ? [] : chosen.split(','), seconds, WIDTH / HEIGHT)
      if (isMotionReduced()) return drawDepth(context, picture, path(1))
      const began = performance.now()
      const draw = (now: number) => {
        drawDepth(context, picture, path(Math.min(1, ((now - began) % (MOVE_MS + REST_MS)) / MOVE_MS)))
        frame = requestAnimationFrame(draw)
      }
      frame = requestAnimationFrame(draw)
    }
    void start().catch(() => {})
    return () => {
      isGone = true
      cancelAnimationFrame(frame)
    }
  }, [src, chosen, seconds])
  return (
    <figure className="depth-preview">
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} role="img" aria-label={t('workspace.camera.preview')} />
      <figcaption className="hint">{t('workspace.camera.previewHint')}</figcaption>
    </figure>
  )
}
