import { useStore } from '@nanostores/react'
import { type SubmitEvent, useId, useState } from 'react'
import { type Person, personAt } from '#backend/desk/contract.ts'
import { call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { textAt, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { $zone } from '../board.ts'
import { numberText } from '../figures.ts'
import { Time } from '../Time.tsx'
import { instantIn } from './instantIn.ts'
import { Part } from './Part.tsx'

/** Reads a person's balance, plan and open videos at a past instant from the log. The time is typed in the zone of the board. */
export function PastState({ person: { id } }: { person: Person }) {
  const t = translate()
  const hint = useId()
  const zone = useStore($zone)
  const [found, setFound] = useState<Awaited<ReturnType<typeof read>>>()
  const [problem, setProblem] = useState<string>()
  const [busy, run] = useBusy()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('at'))
    void run(async () => {
      setProblem(undefined)
      await read(id, instantIn(typed, zone)).then(setFound, (error: unknown) => setProblem(errorText(error)))
    })
  }
  return (
    <Part title={t('dashboard.desk.past.heading')}>
      <form className="row desk-acts" onSubmit={submit}>
        <input
          className="input"
          type="datetime-local"
          step="1"
          name="at"
          required
          aria-label={t('dashboard.desk.past.at')}
          aria-describedby={hint}
        />
        <Button type="submit" variant="outline" busy={busy} label={t('dashboard.desk.past.show')} />
        <span className="hint" id={hint}>
          {t('dashboard.foot.zone')}: {zone}
        </span>
      </form>
      <div role="status">
        {problem && <p className="fault">{problem}</p>}
        {found && (
          <dl className="desk-facts">
            <div>
              <dt>{t('dashboard.desk.past.at')}</dt>
              <dd>
                <Time iso={found.at} />
              </dd>
            </div>
            <div>
              <dt>{t('dashboard.desk.left')}</dt>
              <dd>{numberText(found.balance)}</dd>
            </div>
            <div>
              <dt>{t('dashboard.desk.plan')}</dt>
              <dd>{planText(found.plan)}</dd>
            </div>
            <div>
              <dt>{t('dashboard.desk.past.open')}</dt>
              <dd className="anywhere">
                {found.open.map(({ task_id, credits }) => `${task_id} (${credits})`).join(', ') ||
                  t('dashboard.desk.none')}
              </dd>
            </div>
          </dl>
        )}
      </div>
    </Part>
  )
}

const read = (id: string, at: string) => call(personAt, { params: { id }, query: { at } })

function planText(plan: { tier: string; status: string } | null): string {
  const tier = textAt(`dashboard.desk.tiers.${plan?.tier ?? 'free'}`) ?? ''
  return plan ? `${tier} · ${textAt(`dashboard.desk.planStatus.${plan.status}`) ?? plan.status}` : tier
}
