import { useStore } from '@nanostores/react'
import { translate } from '../../../i18n/client.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { $count, $maxTakes, setCount } from './takeCount.ts'

/** Chooses how many takes Generate makes. */
export function TakesStepper() {
  const t = translate()
  const count = useStore($count)
  const max = useStore($maxTakes)
  return (
    <fieldset className="takes rounded" aria-label={t('workspace.form.takes')}>
      <IconButton
        icon="minus"
        label={t('workspace.form.fewerTakes')}
        disabled={count === 1}
        onClick={() => setCount(count - 1)}
      />
      <output aria-label={t('workspace.form.takes')}>{count}</output>
      <IconButton
        icon="plus"
        label={t('workspace.form.moreTakes')}
        disabled={count >= max}
        onClick={() => setCount(count + 1)}
      />
    </fieldset>
  )
}
