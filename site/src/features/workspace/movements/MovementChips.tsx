import { useStore } from '@nanostores/react'
import { CAMERA_MOVEMENTS } from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { $movements, applyMovements } from '../generation.ts'

/** The camera movements of the prompt's bracketed list, each with a button that removes it. */
export function MovementChips() {
  const t = translate()
  const chosen = useStore($movements)
  if (chosen.length === 0) return null
  return (
    <ul className="row" aria-label={t('workspace.form.movements')}>
      {chosen.map((movement) => {
        const name = t(`movements.name.${CAMERA_MOVEMENTS[movement].key}`)
        return (
          <li className="chip" key={movement} data-movement={movement}>
            {name}
            <button
              type="button"
              aria-label={t('workspace.camera.remove', { name })}
              onClick={() => applyMovements(chosen.filter((other) => other !== movement))}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
