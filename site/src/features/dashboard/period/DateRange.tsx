import { useStore } from '@nanostores/react'
import { type SubmitEvent, useId, useState } from 'react'
import { KEPT_DAYS } from '#backend/operators/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Fault } from '../../../ui/Field.tsx'
import { $choice, $zone, choosePeriod, todaysDate } from '../board.ts'
import { faultOf, firstKept, PRESETS } from './boardPeriod.ts'

/** Selects the date range of the sections below it. `note`: which of them, if not all. */
export function DateRange({ note }: { note?: string }) {
  const t = translate()
  const choice = useStore($choice)
  const [custom, setCustom] = useState(false)
  const isCustom = custom || !('last' in choice)
  return (
    <div className="row board-period">
      {note && (
        <p className="hint" id="period-note">
          {note}
        </p>
      )}
      <fieldset className="board-switch rounded" aria-describedby={note && 'period-note'}>
        <legend className="sr-only">{t('dashboard.period.label')}</legend>
        {PRESETS.map((last) => (
          <label className="option" key={last}>
            <input
              type="radio"
              name="period"
              checked={!isCustom && 'last' in choice && choice.last === last}
              onChange={() => {
                setCustom(false)
                choosePeriod({ last })
              }}
            />
            {t('dashboard.period.days', { days: last })}
          </label>
        ))}
        <label className="option">
          <input type="radio" name="period" checked={isCustom} onChange={() => setCustom(true)} />
          {t('dashboard.period.custom')}
        </label>
      </fieldset>
      {isCustom && <CustomRange />}
    </div>
  )
}

function CustomRange() {
  const t = translate()
  const id = useId()
  const choice = useStore($choice)
  useStore($zone)
  const [fault, setFault] = useState<ReturnType<typeof faultOf>>()
  const today = todaysDate()
  const chosen = 'last' in choice ? { from: '', to: '' } : choice
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [from, to] = [String(form.get('from')), String(form.get('to'))]
    const found = faultOf(from, to, today)
    setFault(found)
    if (!found) choosePeriod({ from, to })
  }
  return (
    <form className="row board-days" onSubmit={onSubmit} noValidate>
      {(['from', 'to'] as const).map((name) => (
        <label className="line" key={name}>
          {t(`dashboard.period.${name}`)}
          <input
            className="input"
            type="date"
            name={name}
            min={firstKept(today)}
            max={today}
            defaultValue={chosen[name]}
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault ? id : undefined}
            onInput={() => setFault(undefined)}
          />
        </label>
      ))}
      <Button label={t('dashboard.period.apply')} type="submit" variant="outline" />
      <div role="alert">{fault && <Fault id={id} text={t(`dashboard.period.${fault}`, { days: KEPT_DAYS })} />}</div>
    </form>
  )
}
