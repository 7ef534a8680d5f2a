import { useState } from 'react'
import type { BoardCode } from '#backend/operators/contract.ts'
import { issueCodes, operatorFactors, voidCode } from '#backend/operators/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { SwitchField } from '../../../ui/SwitchField.tsx'
import { Table } from '../../../ui/Table.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { codes, endCode } from '../board.ts'
import { numberText } from '../figures.ts'
import { May } from '../May.tsx'
import { Pages } from '../Pages.tsx'
import { Panel } from '../Panel.tsx'
import { Time } from '../Time.tsx'

/** Lists the codes that grant credits, newest first, each with a button that voids it. Issues new ones. */
export function Codes() {
  const t = translate()
  const [result, setResult] = useState('')
  return (
    <Panel
      name="codes"
      section={codes}
      aside={<Issue result={result} />}
      empty={{ text: t('dashboard.codes.empty'), when: ({ total }) => total === 0 }}
    >
      {({ codes: rows, total, page }) => (
        <>
          <Table
            className="table-lines board-table board-lines"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { head: t('dashboard.codes.code'), isRowHead: true, cell: (code) => <Name code={code} /> },
              { head: t('dashboard.codes.credits'), cell: (code) => <Uses code={code} /> },
              { head: t('dashboard.codes.valid'), cell: (code) => <Validity code={code} /> },
              {
                head: t('dashboard.codes.void'),
                headShown: '',
                cell: (code) => (code.voided_at ? t('dashboard.codes.isVoid') : <End code={code} onEnd={setResult} />),
              },
            ]}
          />
          <Pages name="codes" page={page} total={total} onOpen={codes.open} />
        </>
      )}
    </Panel>
  )
}

/** The button that issues codes, beside the result of the last change. */
function Issue({ result }: { result: string }) {
  const t = translate()
  const [part, setPart] = useState<typeof import('./IssueCodes.tsx')>()
  const [busy, run] = useBusy()
  const open = () => run(async () => setPart(await import('./IssueCodes.tsx')))
  return (
    <>
      <span className="hint" role="status">
        {result}
      </span>
      <May call={issueCodes}>
        <Button label={t('dashboard.codes.issue')} variant="outline" busy={busy} onClick={open} />
      </May>
      {part && <part.IssueCodes onClose={() => setPart(undefined)} />}
    </>
  )
}

const Name = ({ code: { label, hint } }: { code: BoardCode }) => (
  <>
    <span className="anywhere">{label}</span> <code className="hint">…{hint}</code>
  </>
)

function Uses({ code: { credits, used, uses } }: { code: BoardCode }) {
  const t = translate()
  return (
    <>
      {t('dashboard.codes.creditsEach', { credits: numberText(credits) })}
      {' · '}
      {t('dashboard.codes.usedOf', { used: numberText(used), uses: numberText(uses) })}
    </>
  )
}

function Validity({ code: { audience, issued_at, expires_at } }: { code: BoardCode }) {
  const t = translate()
  return (
    <>
      <Time iso={issued_at} /> – {expires_at ? <Time iso={expires_at} /> : t('dashboard.codes.never')}
      {audience === 'new' && (
        <>
          <br />
          <span className="hint">{t('dashboard.codes.audience.new')}</span>
        </>
      )}
    </>
  )
}

/** Voids a code, or its batch, after a question and, where the operator has a second factor, a step-up. */
function End({ code: { id, label, hint, batch_size }, onEnd }: { code: BoardCode; onEnd: (result: string) => void }) {
  const t = translate()
  const [asking, setAsking] = useState(false)
  const [ofBatch, setOfBatch] = useState(false)
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const name = `${label} …${hint}`
  const end = () =>
    guard(() => endCode(id, ofBatch)).then(
      (count) => onEnd(t('dashboard.codes.voided', { count })),
      () => onEnd(t('dashboard.codes.failed')),
    )
  return (
    <>
      <May call={voidCode}>
        <Button
          label={t('dashboard.codes.void')}
          variant="quiet"
          busy={busy}
          aria-label={t('dashboard.codes.voidOf', { name })}
          onClick={() => setAsking(true)}
        />
      </May>
      {asking && (
        <ConfirmDialog
          title={t('dashboard.codes.voidingTitle', { name })}
          confirm={t('dashboard.codes.confirm')}
          onConfirm={() => void run(end)}
          onClose={() => setAsking(false)}
        >
          <p>{t('dashboard.codes.voidingText')}</p>
          {batch_size > 1 && (
            <SwitchField
              id={`batch-${id}`}
              label={t('dashboard.codes.batch')}
              hint={t('dashboard.codes.batchHint', { size: batch_size })}
              on={ofBatch}
              onChange={setOfBatch}
            />
          )}
        </ConfirmDialog>
      )}
      {dialog}
    </>
  )
}
