import { CAMERA_MOVEMENT_VALUES, CAMERA_MOVEMENTS, type CameraMovement } from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import type { MovementKey } from '../../../media/movements.ts'
import { type Ends, type Held, Knob } from './Knob.tsx'

const movementOf = (key: MovementKey) => CAMERA_MOVEMENT_VALUES.find((value) => CAMERA_MOVEMENTS[value].key === key)!
const ends = (low: MovementKey, high: MovementKey): Ends => [movementOf(low), movementOf(high)]

const MOVE = { across: ends('truckLeft', 'truckRight'), along: ends('pedestalUp', 'pedestalDown') }
const TURN = { across: ends('panLeft', 'panRight'), along: ends('tiltUp', 'tiltDown') }
const PUSH = { across: ends('pullOut', 'pushIn') }
const ZOOM = { across: ends('zoomOut', 'zoomIn') }

interface CameraPadProps {
  /** Called while a knob is held, and with null at its end. */
  readonly onHold: (held: readonly Held[] | null) => void
  readonly onChoose: (movements: readonly CameraMovement[]) => void
}

/** Two sticks and two faders that move the camera by hand. Where a knob is released decides what is chosen. */
export function CameraPad(use: CameraPadProps) {
  const t = translate()
  return (
    <div className="camera-pad stack">
      <Knob label={t('workspace.camera.move')} {...MOVE} {...use} />
      <Knob label={t('workspace.camera.turn')} {...TURN} {...use} />
      <Knob label={t('workspace.camera.push')} {...PUSH} {...use} />
      <Knob label={t('workspace.camera.zoom')} {...ZOOM} {...use} />
    </div>
  )
}
