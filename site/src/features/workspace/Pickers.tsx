import { useStore } from '@nanostores/react'
import { creditCost, modelsFor } from '#backend/tasks/contract.ts'
import { limitsOf } from '../../api/credits.ts'
import { codeText } from '../../api/errorText.ts'
import { $models } from '../../api/models.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { Choices } from '../../ui/Choices.tsx'
import { Fault } from '../../ui/Field.tsx'
import { $faults, $generation, setDuration, setModel, setResolution } from './generation.ts'
import { chooseDuration, durationOptions, offeredBy, type Reason, resolutionOptions } from './generationRules.ts'
import { CropPreview } from './options/CropPreview.tsx'
import { RatioPicker } from './options/RatioPicker.tsx'
import { $purse } from './pay/payer.ts'

/** Selects a supported combination of model, resolution and duration, with the price of each option. */
export function Pickers() {
  const t = translate()
  const form = useStore($generation)
  const tier = limitsOf(useStore($purse))
  const models = useStore($models)
  const model = models.find(({ id }) => id === form.model)
  const name = model?.names[pageLocale()] ?? form.model
  const faults = useStore($faults)
  const words = (reason: Reason | null, resolution?: string) =>
    reason &&
    t(`workspace.excluded.${reason}`, { model: name, resolution: resolution ?? '', ...offeredBy(form, resolution) })
  const short = (reason: Reason | null, resolution?: string) =>
    reason && t(`workspace.excludedShort.${reason}`, offeredBy(form, resolution))
  const price = (choices: typeof form) => t('workspace.form.cost', { count: creditCost(model, choices) })
  const fault = faults.model ?? faults.resolution ?? faults.duration ?? faults.aspect_ratio
  return (
    <>
      <Choices
        wide
        label={t('workspace.form.model')}
        value={form.model}
        options={modelsFor(models, form.taskType).map(({ id, names, descriptions }) => ({
          value: id,
          label: names[pageLocale()],
          note: descriptions[pageLocale()],
        }))}
        onChange={setModel}
      />
      <div className="form-pair form-shape">
        <Choices
          label={t('workspace.form.resolution')}
          value={form.resolution}
          options={resolutionOptions(form, tier).map(({ value, excluded }) => ({
            value,
            label: value,
            excluded: words(excluded, value),
            short: short(excluded, value),
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
            short: short(excluded),
            ...(excluded ? {} : { note: price({ ...form, ...chooseDuration(form, value).choices }) }),
          }))}
          onChange={setDuration}
        />
        <RatioPicker />
      </div>
      <CropPreview />
      <div role="alert">{fault && <Fault id="choices-fault" text={codeText(fault)} />}</div>
    </>
  )
}
