import { useStore } from '@nanostores/react'
import { creditCost, modelsFor } from '#backend/tasks/contract.ts'
import { $credits } from '../../api/credits.ts'
import { codeText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Choices } from '../../ui/Choices.tsx'
import { Fault } from '../../ui/Field.tsx'
import { $faults, $generation, setDuration, setModel, setResolution } from './generation.ts'
import { chooseDuration, durationOptions, type Reason, resolutionOptions } from './generationRules.ts'
import { $models } from './workspace.ts'

/** Selects a supported combination of model, resolution and duration, with the price of each option. */
export function Pickers() {
  const t = translate()
  const form = useStore($generation)
  const tier = useStore($credits)?.tier ?? null
  const offered = useStore($models)
  const faults = useStore($faults)
  const words = (reason: Reason | null) => reason && t(`workspace.excluded.${reason}`, { model: form.model })
  const price = (choices: typeof form) => t('workspace.form.cost', { count: creditCost(choices) })
  const models = modelsFor(form.taskType).filter(({ name }) => !offered || offered.some((other) => other.name === name))
  const fault = faults.model ?? faults.resolution ?? faults.duration
  return (
    <>
      <Choices
        wide
        label={t('workspace.form.model')}
        value={form.model}
        options={models.map(({ name }) => ({ value: name, label: name, note: t(`workspace.model.${name}`) }))}
        onChange={setModel}
      />
      <Choices
        label={t('workspace.form.resolution')}
        value={form.resolution}
        options={resolutionOptions(form, tier).map(({ value, excluded }) => ({
          value,
          label: value,
          excluded: words(excluded),
          ...(excluded ? {} : { note: price({ ...form, resolution: value }) }),
        }))}
        onChange={setResolution}
      />
      <Choices
        label={t('workspace.form.duration')}
        value={form.duration}
        options={durationOptions(form).map(({ value, excluded }) => ({
          value,
          label: t('workspace.form.seconds', { count: value }),
          excluded: words(excluded),
          ...(excluded ? {} : { note: price({ ...form, ...chooseDuration(form, value).choices }) }),
        }))}
        onChange={setDuration}
      />
      <div role="alert">{fault && <Fault id="choices-fault" text={codeText(fault)} />}</div>
    </>
  )
}
