import { useStore } from '@nanostores/react'
import { codeText } from '../../../api/errorText.ts'
import { $models } from '../../../api/models.ts'
import { pageLocale, textAt, translate } from '../../../i18n/client.ts'
import { Choices } from '../../../ui/Choices.tsx'
import { Fault } from '../../../ui/Field.tsx'
import { $faults, $generation, setOption } from '../generation.ts'
import { useOffer } from './OptionFields.tsx'
import { allRatios, ratioOf } from './optionRules.ts'

/** Chooses the aspect ratio, where a model of the catalogue has more than one. */
export function RatioPicker() {
  const t = translate()
  const models = useStore($models)
  const { model: id, taskType, aspectRatio } = useStore($generation)
  const fault = useStore($faults).aspect_ratio
  if (useOffer('aspectRatio') === 'hidden') return null
  const model = models.find((one) => one.id === id)
  const own = model?.aspectRatios ?? []
  const words = { model: model?.names[pageLocale()] ?? id, ratios: own.join(', ') }
  const reason = own.length > 0 ? t('workspace.excluded.ratioModel', words) : codeText('aspect_ratio_not_for_model')
  return (
    <>
      <Choices
        label={t('workspace.form.ratio')}
        value={ratioOf(model, aspectRatio) ?? ''}
        options={allRatios(models, taskType).map((ratio) => {
          const note = textAt(`workspace.ratio.${ratio}`)
          return {
            value: ratio,
            label: ratio,
            excluded: own.includes(ratio) ? null : reason,
            ...(note ? { note } : {}),
          }
        })}
        onChange={(ratio) => setOption('aspectRatio', ratio)}
      />
      <div role="alert">{fault && <Fault id="ratio-fault" text={codeText(fault)} />}</div>
    </>
  )
}
