import { useState } from 'react'
import { approveAction, type DeskAction } from '#backend/desk/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { money } from '../../../i18n/money.ts'
import { Button } from '../../../ui/Button.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Table } from '../../../ui/Table.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { decide, personHref, waiting } from '../desk/desk.ts'
import { numberText } from '../figures.ts'
import { useMay } from '../May.tsx'
import { Panel } from '../Panel.tsx'
import { Time } from '../Time.tsx'

/** Lists the actions that wait for the approval of another operator. */
export function Waiting({ onDone }: { onDone: (text: string) => void }) {
  const t = translate()
  const may = useMay(approveAction)
  const [problem, setProblem] = useState<string>()
  const { guard, dialog } = useStepUp(operatorFactors)
  const [busy, run] = useBusy()
  const attempt = (action: DeskAction, decision: 'approve' | 'refuse') =>
    run(async () => {
      setProblem(undefined)
      try {
        const { status, why, kind } = await guard(() => decide(action, decision))
        if (status === 'failed') setProblem(t('dashboard.desk.failed', { why: codeText(why ?? 'unknown') }))
        else onDone(`${t(`dashboard.desk.acts.${kind}`)}: ${t(`dashboard.desk.state_${status}`)}`)
      } catch (error) {
        setProblem(errorText(error))
      }
    })
  return (
    <Panel
      name="waiting"
      section={waiting}
      empty={{ text: t('dashboard.waiting.empty'), when: ({ total }) => total === 0 }}
    >
      {({ actions }) => (
        <>
          <div role="alert">{problem !== undefined && <Notice tone="danger">{problem}</Notice>}</div>
          <Table
            className="table-lines board-table board-lines"
            rows={actions}
            keyOf={({ id }) => id}
            columns={[
              {
                head: t('dashboard.waiting.action'),
                isRowHead: true,
                cell: ({ kind, amount, currency, user_id }) => (
                  <a className="link" href={personHref(user_id)}>
                    {t(`dashboard.desk.acts.${kind}`)}{' '}
                    {amount !== null && (currency ? money(amount, currency, pageLocale()) : numberText(amount))}
                  </a>
                ),
              },
              { head: t('dashboard.desk.reason'), cell: ({ reason }) => <span className="anywhere">{reason}</span> },
              { head: t('dashboard.waiting.operator'), cell: ({ operator }) => operator },
              { head: t('dashboard.desk.when'), cell: ({ asked_at }) => <Time iso={asked_at} /> },
              {
                head: t('dashboard.waiting.decide'),
                headShown: '',
                cell: (action) =>
                  may && (
                    <div className="row">
                      {(['approve', 'refuse'] as const).map((decision) => (
                        <Button
                          key={decision}
                          variant={decision === 'approve' ? 'outline' : 'quiet'}
                          busy={busy}
                          label={t(`dashboard.waiting.${decision}`)}
                          onClick={() => attempt(action, decision)}
                        />
                      ))}
                    </div>
                  ),
              },
            ]}
          />
          {dialog}
        </>
      )}
    </Panel>
  )
}
