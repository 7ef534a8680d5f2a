import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import { PROMPT_MAX } from '#backend/tasks/contract.ts'
import { codeText } from '../../../api/errorText.ts'
import { $models } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { Fault, Field } from '../../../ui/Field.tsx'
import { SwitchField } from '../../../ui/SwitchField.tsx'
import { $faults, $generation, setOption } from '../generation.ts'
import { type OptionName, offerOf } from './optionRules.ts'

/** Returns whether the chosen model takes an option, or only another one does. */
export function useOffer(name: OptionName) {
  const models = useStore($models)
  const { model, taskType } = useStore($generation)
  return offerOf(name, models, model, taskType)
}

/** Sound, and the rare options. What only other models take stays visible with the reason. */
export function OptionFields() {
  return (
    <>
      <Sound />
      <Rare />
    </>
  )
}

/** Fields that few videos need. They unfold when one has a value. */
function Rare() {
  const offers = [useOffer('seed'), useOffer('negativePrompt')]
  const { seed, negativePrompt } = useStore($generation)
  const isUsed = Boolean(seed || negativePrompt)
  const [open, setOpen] = useState(isUsed)
  useEffect(() => {
    if (isUsed) setOpen(true)
  }, [isUsed])
  if (offers.every((offer) => offer === 'hidden')) return null
  return (
    <details className="form-more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{translate()('workspace.form.more')}</summary>
      <div className="stack">
        <Seed />
        <NegativePrompt />
      </div>
    </details>
  )
}

function Sound() {
  const t = translate()
  const offer = useOffer('sound')
  const { sound } = useStore($generation)
  if (offer === 'hidden') return null
  return (
    <SwitchField
      id="sound"
      label={t('workspace.form.sound')}
      hint={offer === 'offered' ? t('workspace.form.soundHint') : codeText('sound_not_for_model')}
      on={offer === 'offered' && sound}
      disabled={offer === 'excluded'}
      onChange={(on) => setOption('sound', on)}
    />
  )
}

function Seed() {
  const t = translate()
  const offer = useOffer('seed')
  const { seed } = useStore($generation)
  const fault = useStore($faults).seed
  if (offer === 'hidden') return null
  return (
    <Field
      label={t('workspace.form.seed')}
      name="seed"
      inputMode="numeric"
      autoComplete="off"
      maxLength={10}
      hint={offer === 'offered' ? t('workspace.form.seedHint') : codeText('seed_not_for_model')}
      fault={fault && codeText(fault)}
      value={seed}
      disabled={offer === 'excluded'}
      onChange={(event) => setOption('seed', event.currentTarget.value)}
    />
  )
}

function NegativePrompt() {
  const t = translate()
  const offer = useOffer('negativePrompt')
  const { negativePrompt } = useStore($generation)
  const fault = useStore($faults).negative_prompt
  if (offer === 'hidden') return null
  return (
    <div className="stack field">
      <label htmlFor="negative-prompt">{t('workspace.form.negativePrompt')}</label>
      <textarea
        id="negative-prompt"
        name="negative_prompt"
        className="input input-short"
        maxLength={PROMPT_MAX}
        value={negativePrompt}
        disabled={offer === 'excluded'}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? 'negative-prompt-fault' : 'negative-prompt-hint'}
        onChange={(event) => setOption('negativePrompt', event.currentTarget.value)}
      />
      <p className="hint" id="negative-prompt-hint">
        {offer === 'offered' ? t('workspace.form.negativePromptHint') : codeText('negative_prompt_not_for_model')}
      </p>
      {fault && <Fault id="negative-prompt-fault" text={codeText(fault)} />}
    </div>
  )
}
