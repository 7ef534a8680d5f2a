import { useState } from 'react'
import { operatorFactors, type PricedModel, priceModel } from '#backend/operators/contract.ts'
import { call } from '../../../api/api.ts'
import { codeText } from '../../../api/errorText.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { engines } from '../board.ts'
import { reasonOf } from '../graphs/reasonOf.ts'
import { useMay } from '../May.tsx'
import { typedPrices } from './prices.ts'

/** Price, cost and margin of a model's shortest videos. */
export function ModelPrices({ model, creditCents }: { readonly model: PricedModel; readonly creditCents: number }) {
  const t = translate()
  const may = useMay(priceModel)
  const [prices, setPrices] = useState(() =>
    model.shapes.map(({ credits, cents }) => ({
      credits: String(credits),
      cents: cents === null ? '' : String(cents),
    })),
  )
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const change = (at: number, more: Partial<(typeof prices)[number]>) =>
    setPrices(prices.map((price, i) => (i === at ? { ...price, ...more } : price)))
  const save = () =>
    run(async () => {
      const typed = typedPrices(prices)
      if (!typed) return showToast('danger', codeText('invalid'))
      await guard(() => call(priceModel, { body: { model: model.id, prices: typed } })).then(
        () => showToast('success', t('dashboard.engines.priced')),
        (error) => showToast('danger', reasonOf(error)),
      )
      await engines.load()
    })
  return (
    <details>
      <summary>
        <strong>{model.names[pageLocale()]}</strong> <code>{model.engine}</code>{' '}
        {model.unpriced && <span className="hint">{t('dashboard.engines.unpriced')}</span>}
      </summary>
      {model.shapes.map(({ resolutions, seconds }, at) => {
        const { credits = '', cents = '' } = prices[at] ?? {}
        const earned = Number(credits) * creditCents
        const margin = earned > 0 ? Math.round((1 - Number(cents) / earned) * 100) : 0
        const name = `${resolutions.join(', ')} · ${seconds[0]} s`
        return (
          <fieldset className="board-graph-fields" disabled={!may} key={name} aria-label={name}>
            <Field
              label={`${t('dashboard.engines.credits')} · ${name}`}
              inputMode="numeric"
              value={credits}
              onChange={({ target }) => change(at, { credits: target.value })}
            />
            <Field
              label={`${t('dashboard.engines.cents')} · ${name}`}
              hint={cents === '' ? t('dashboard.engines.centsUnknown') : t('dashboard.engines.margin', { margin })}
              inputMode="decimal"
              value={cents}
              onChange={({ target }) => change(at, { cents: target.value })}
            />
          </fieldset>
        )
      })}
      {may && (
        <Button variant="outline" label={t('dashboard.engines.savePrices')} busy={busy} onClick={() => void save()} />
      )}
      {dialog}
    </details>
  )
}
