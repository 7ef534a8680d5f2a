import { useEffect, useRef, useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { isMotionReduced } from '../../../ui/isMotionReduced.ts'
import type { DepthPicture } from './drawDepth.ts'
import type { Held } from './Knob.tsx'

type Maths = typeof import('./drawDepth.ts')
type Scene = Pick<Maths, 'drawDepth' | 'heldCamera' | 'pathOf'> & { readonly picture: DepthPicture }

const [WIDTH, HEIGHT] = [640, 360]
const ASPECT = WIDTH / HEIGHT
/** Length of the movement and of the rest after it, in milliseconds. */
const [MOVE_MS, REST_MS] = [2_800, 600]

interface DepthPreviewProps {
  readonly src: string
  readonly movements: readonly string[]
  /** Length of the clip in seconds. */
  readonly seconds: number
  /** Where a hand holds the camera, which takes precedence over the movements. */
  readonly held: readonly Held[] | null
}

/** Previews camera movements on a picture, with estimated depth. Under reduced motion it shows the end. */
export function DepthPreview({ src, movements, seconds, held }: DepthPreviewProps) {
  const t = translate()
  const canvas = useRef<HTMLCanvasElement>(null)
  const scene = useScene(src)
  const chosen = movements.join()
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || !scene) return
    const { drawDepth, pathOf, heldCamera, picture } = scene
    if (held) return drawDepth(context, picture, heldCamera(held, seconds, ASPECT))
    const path = pathOf(chosen === '' ? [] : chosen.split(','), seconds, ASPECT)
    if (isMotionReduced()) return drawDepth(context, picture, path(1))
    const began = performance.now()
    const draw = (now: number) => {
      const passed = Math.max(0, now - began) % (MOVE_MS + REST_MS)
      drawDepth(context, picture, path(Math.min(1, passed / MOVE_MS)))
      frame = requestAnimationFrame(draw)
    }
    let frame = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(frame)
  }, [scene, chosen, seconds, held])
  return (
    <figure className="depth-preview stack gap-1">
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} role="img" aria-label={t('workspace.camera.preview')} />
      <figcaption className="hint">{t('workspace.camera.previewHint')}</figcaption>
    </figure>
  )
}

/** The picture with its depth, and the maths, which loads with the dialog and not with the page. */
function useScene(src: string): Scene | null {
  const [scene, setScene] = useState<Scene | null>(null)
  useEffect(() => {
    let isGone = false
    const load = async () => {
      const image = new Image()
      image.src = src
      const [maths] = await Promise.all([import('./drawDepth.ts'), image.decode()])
      const { createDepthPicture, drawDepth, heldCamera, pathOf } = maths
      if (!isGone) setScene({ drawDepth, heldCamera, pathOf, picture: createDepthPicture(image, WIDTH, HEIGHT) })
    }
    void load().catch(() => {})
    return () => {
      isGone = true
    }
  }, [src])
  return scene
}
