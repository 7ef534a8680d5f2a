import { useStore } from '@nanostores/react'
import { CAMERA_MOVEMENTS } from '#backend/tasks/contract.ts'
import { codeText } from '../../../api/errorText.ts'
import { $models } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { Fault } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { $faults, $generation, $movements } from '../generation.ts'
import { useLatePart } from '../useLatePart.ts'

/** Button that shows the selected camera movements and opens the selection dialog. */
export function MovementsField() {
  const t = translate()
  const dialog = useLatePart(() => import('./MovementsDialog.tsx'))
  const chosen = useStore($movements)
  const { model } = useStore($generation)
  const models = useStore($models)
  const fault = useStore($faults).camera_movements
  const supported = models.find(({ id }) => id === model)?.cameraMovements ?? false
  return (
    <div className="stack field">
      <button
        type="button"
        className="button button-outline movements-button"
        aria-haspopup="dialog"
        aria-describedby={supported ? undefined : 'movements-hint'}
        disabled={!supported}
        aria-busy={dialog.busy || undefined}
        onClick={dialog.open}
      >
        <Icon name="camera" />
        <span className="movements-text grow spread min-0">
          <span>{t('workspace.form.movements')}</span>
          <span className="hint">
            {chosen.length > 0
              ? chosen.map((movement) => t(`movements.name.${CAMERA_MOVEMENTS[movement].key}`)).join(' · ')
              : t('workspace.form.movementsNone')}
          </span>
        </span>
      </button>
      {!supported && (
        <p className="hint" id="movements-hint">
          {t('errors.camera_movements_not_for_model')}
        </p>
      )}
      {fault && <Fault id="movements-fault" text={codeText(fault)} />}
      {dialog.part && <dialog.part.MovementsDialog onClose={dialog.close} />}
    </div>
  )
}
