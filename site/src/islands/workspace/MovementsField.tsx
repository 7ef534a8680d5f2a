import { useStore } from '@nanostores/react'
import { useState } from 'react'
import {
  CAMERA_MOVEMENT_VALUES,
  CAMERA_MOVEMENTS,
  type CameraMovement,
  MAX_CAMERA_MOVEMENTS,
  modelNamed,
} from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { codeText } from '../../lib/errorText.ts'
import { $faults, $generation, $movements, applyMovements } from '../../stores/generation.ts'
import { toggleMovement } from '../../stores/movements.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Fault } from '../../ui/Field.tsx'

/** The camera: a button that says what is chosen, and opens the choice. */
export function MovementsField() {
  const t = translate()
  const [open, setOpen] = useState(false)
  const chosen = useStore($movements)
  const { model } = useStore($generation)
  const fault = useStore($faults).camera_movements
  const supported = modelNamed(model).cameraMovements
  return (
    <div className="field">
      <button
        type="button"
        className="button button-outline movements-button"
        aria-haspopup="dialog"
        aria-describedby={supported ? undefined : 'movements-hint'}
        disabled={!supported}
        onClick={() => setOpen(true)}
      >
        <span>{t('workspace.form.movements')}</span>
        <span className="muted">
          {chosen.length > 0
            ? chosen.map((movement) => t(`movements.name.${CAMERA_MOVEMENTS[movement].key}`)).join(' · ')
            : t('workspace.form.movementsNone')}
        </span>
      </button>
      {!supported && (
        <p className="hint" id="movements-hint">
          {t('errors.camera_movements_not_for_model')}
        </p>
      )}
      {fault && <Fault id="movements-fault" text={codeText(fault)} />}
      {open && <MovementsDialog onClose={() => setOpen(false)} />}
    </div>
  )
}

function MovementsDialog({ onClose }: { onClose: () => void }) {
  const t = translate()
  const [chosen, setChosen] = useState<readonly CameraMovement[]>($movements.get())
  const apply = () => {
    applyMovements(chosen)
    onClose()
  }
  const foot = (
    <>
      <span className="muted movements-count" role="status">
        {t('workspace.camera.chosen', { count: chosen.length, max: MAX_CAMERA_MOVEMENTS })}
      </span>
      <Button onClick={onClose}>{t('common.action.cancel')}</Button>
      <Button look="primary" onClick={apply}>
        {t('common.action.apply')}
      </Button>
    </>
  )
  return (
    <Dialog
      size={800}
      title={t('workspace.camera.heading')}
      closeLabel={t('common.action.close')}
      onClose={onClose}
      foot={foot}
    >
      <p className="muted">{t('workspace.camera.lead')}</p>
      <div className="movements">
        {CAMERA_MOVEMENT_VALUES.map((movement) => {
          const { key } = CAMERA_MOVEMENTS[movement]
          const order = chosen.indexOf(movement)
          return (
            <button
              key={movement}
              type="button"
              className="movement"
              aria-pressed={order >= 0}
              aria-label={t(`movements.name.${key}`)}
              aria-describedby={`hint-${key}`}
              onClick={() => setChosen(toggleMovement(chosen, movement))}
            >
              <strong>{t(`movements.name.${key}`)}</strong>
              <small id={`hint-${key}`}>{t(`movements.hint.${key}`)}</small>
              {order >= 0 && (
                <span className="movement-order" aria-hidden="true">
                  {order + 1}
                </span>
              )}
            </button>
          )
        })}
      </div>
    </Dialog>
  )
}
