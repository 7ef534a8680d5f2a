import { useStore } from '@nanostores/react'
import { type MouseEvent, useRef, useState } from 'react'
import {
  CAMERA_MOVEMENT_VALUES,
  CAMERA_MOVEMENTS,
  type CameraMovement,
  MAX_CAMERA_MOVEMENTS,
} from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { toggleMovement } from '../../../i18n/movements.ts'
import { movementMedia } from '../../../media/movements.ts'
import still from '../../../media/planes/still.avif?url'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { MovingPicture } from '../../../ui/MovingPicture.tsx'
import { firstFrame } from '../frames/frames.ts'
import { $generation, $movements, applyMovements } from '../generation.ts'
import { $current } from '../stage/takes.ts'
import { CameraPad } from './CameraPad.tsx'
import { DepthPreview } from './DepthPreview.tsx'
import type { Held } from './Knob.tsx'

const keyOf = (movement: CameraMovement) => CAMERA_MOVEMENTS[movement].key

/** Selects camera movements by hand or from previews. The selection takes effect on Apply. */
export function MovementsDialog({ onClose }: { onClose: () => void }) {
  const t = translate()
  const [chosen, setChosen] = useState<readonly CameraMovement[]>($movements.get())
  const [replaced, setReplaced] = useState('')
  const [shown, setShown] = useState<CameraMovement | null>(null)
  const [held, setHeld] = useState<readonly Held[] | null>(null)
  const src = usePicture()
  const { duration } = useStore($generation)
  const nameOf = (movement: CameraMovement) => t(`movements.name.${keyOf(movement)}`)
  const toggle = (movements: readonly CameraMovement[]) => {
    let next = chosen
    for (const movement of movements) next = toggleMovement(next, movement)
    const came = movements.at(-1)
    const gone = chosen.find((other) => !movements.includes(other) && !next.includes(other))
    setReplaced(gone && came ? t('workspace.camera.replaced', { gone: nameOf(gone), came: nameOf(came) }) : '')
    setChosen(next)
  }
  const add = (movements: readonly CameraMovement[]) =>
    toggle(movements.filter((movement) => !chosen.includes(movement)))
  const clear = () => {
    setChosen([])
    setReplaced('')
  }
  const apply = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    applyMovements(chosen)
    currentTarget.closest('dialog')?.close()
  }
  const foot = (
    <>
      <p className="movements-count small" role="status">
        <strong>{t('workspace.camera.chosen', { count: chosen.length, max: MAX_CAMERA_MOVEMENTS })}</strong>
        {replaced && <span className="muted">{replaced}</span>}
      </p>
      {chosen.length > 0 && <Button label={t('workspace.camera.clear')} variant="quiet" onClick={clear} />}
      <Button onClick={onClose}>{t('common.action.cancel')}</Button>
      <Button label={t('common.action.apply')} variant="primary" onClick={apply} />
    </>
  )
  return (
    <Dialog size={800} title={t('workspace.camera.heading')} onClose={onClose} foot={foot}>
      <p className="muted">{t('workspace.camera.lead')}</p>
      <div className="camera-top">
        <DepthPreview src={src} movements={shown ? [shown] : chosen} seconds={duration} held={held} />
        <CameraPad onHold={setHeld} onChoose={add} />
      </div>
      <div className="movements stack gap-3">
        {CAMERA_MOVEMENT_VALUES.map((movement) => (
          <Movement
            key={movement}
            movement={movement}
            order={chosen.indexOf(movement)}
            onToggle={() => toggle([movement])}
            onShow={(on) => setShown(on ? movement : null)}
          />
        ))}
      </div>
    </Dialog>
  )
}

/** The picture that the movements are previewed on: the first frame, the poster of the take on the stage, or a still. */
function usePicture(): string {
  const frame = useStore(firstFrame.$frame)
  const { taskType } = useStore($generation)
  const take = useStore($current)
  if (taskType === 'image_to_video' && frame.status !== 'none') return frame.preview
  return take?.thumbnail_url ?? still
}

interface MovementProps {
  readonly movement: CameraMovement
  /** Zero-based index among the selected movements, or -1 if not selected. */
  readonly order: number
  readonly onToggle: () => void
  /** Called when the movement is pointed at or focused, and when that ends. */
  readonly onShow: (on: boolean) => void
}

function Movement({ movement, order, onToggle, onShow }: MovementProps) {
  const t = translate()
  const key = keyOf(movement)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <button
      ref={button}
      type="button"
      className="movement clip top"
      aria-pressed={order >= 0}
      data-order={order >= 0 ? order + 1 : undefined}
      onClick={onToggle}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && onShow(true)}
      onPointerLeave={() => onShow(false)}
      onFocus={({ target }) => target.matches(':focus-visible') && onShow(true)}
      onBlur={() => onShow(false)}
    >
      <MovingPicture {...movementMedia(key)} surface={button} />
      <strong>{t(`movements.name.${key}`)}</strong> <small className="hint">{t(`movements.hint.${key}`)}</small>
    </button>
  )
}
