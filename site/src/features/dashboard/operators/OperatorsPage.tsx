import { useStore } from '@nanostores/react'
import { useEffect, useRef, useState } from 'react'
import { inviteOperator, operatorFactors, removeOperator } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Table } from '../../../ui/Table.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { waiting } from '../desk/desk.ts'
import { May, useMay } from '../May.tsx'
import { Panel } from '../Panel.tsx'
import { InviteOperator } from './InviteOperator.tsx'
import { changeRole, list, type OperatorRow, own, type Role, remove } from './operators.ts'
import { Waiting } from './Waiting.tsx'

const ROLES: readonly Role[] = ['viewer', 'support', 'owner']

/** Who the operators are, and what waits for the approval of another one. */
export function OperatorsPage() {
  const t = translate()
  const heading = useRef<HTMLHeadingElement>(null)
  const [inviting, setInviting] = useState(false)
  const [result, setResult] = useState('')
  useEffect(() => {
    heading.current?.focus()
    void list.load()
    void waiting.load()
  }, [])
  return (
    <div className="stack gap-3">
      <h2 className="sr-only" ref={heading} tabIndex={-1}>
        {t('dashboard.operators.heading')}
      </h2>
      <Waiting onDone={setResult} />
      <Panel
        name="operators"
        section={list}
        aside={
          <>
            <span className="hint" role="status">
              {result}
            </span>
            <May call={inviteOperator}>
              <Button variant="outline" label={t('dashboard.operators.invite')} onClick={() => setInviting(true)} />
            </May>
          </>
        }
      >
        {(rows) => <Rows rows={rows} onDone={setResult} />}
      </Panel>
      {inviting && <InviteOperator onClose={() => setInviting(false)} />}
    </div>
  )
}

function Rows({ rows, onDone }: { rows: readonly OperatorRow[]; onDone: (text: string) => void }) {
  const t = translate()
  const me = useStore(own.$section).data
  const [problem, setProblem] = useState<unknown>()
  const { guard, dialog } = useStepUp(operatorFactors)
  const attempt = async (done: string, act: () => Promise<void>) => {
    setProblem(undefined)
    await guard(act).then(() => onDone(done), setProblem)
  }
  const isOwner = useMay(removeOperator)
  return (
    <>
      <div role="alert">{problem !== undefined && <Notice tone="danger">{errorText(problem)}</Notice>}</div>
      <p className="hint">{t('dashboard.operators.lead')}</p>
      <Table
        className="table-lines board-table board-lines"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('dashboard.operators.name'),
            isRowHead: true,
            cell: ({ id, name, email }) => (
              <>
                <span className="anywhere">{name}</span> {id === me?.id && `(${t('dashboard.operators.you')})`}
                <br />
                <span className="hint anywhere">{email ?? t('dashboard.operators.bootstrap')}</span>
              </>
            ),
          },
          {
            head: t('dashboard.operators.role'),
            cell: ({ role, id, name, email }) =>
              isOwner && email !== null ? (
                <RoleChoice
                  role={role}
                  name={name}
                  onChange={(next) => attempt(t('dashboard.operators.changed', { name }), () => changeRole(id, next))}
                />
              ) : (
                t(`dashboard.operators.roles.${role}`)
              ),
          },
          {
            head: t('dashboard.operators.state'),
            cell: ({ status, keys }) =>
              status === 'invited'
                ? t('dashboard.operators.invited')
                : t('dashboard.operators.passkeys', { count: keys }),
          },
          {
            head: t('dashboard.operators.remove'),
            headShown: '',
            cell: (row) =>
              isOwner && (
                <Remove
                  name={row.name}
                  onSure={() => attempt(t('dashboard.operators.removed', { name: row.name }), () => remove(row.id))}
                />
              ),
          },
        ]}
      />
      {dialog}
    </>
  )
}

function RoleChoice({ role, name, onChange }: { role: Role; name: string; onChange: (role: Role) => void }) {
  const t = translate()
  return (
    <select
      className="input"
      aria-label={t('dashboard.operators.roleOf', { name })}
      value={role}
      onChange={({ target }) => onChange(target.value as Role)}
    >
      {ROLES.map((each) => (
        <option key={each} value={each}>
          {t(`dashboard.operators.roles.${each}`)}
        </option>
      ))}
    </select>
  )
}

function Remove({ name, onSure }: { name: string; onSure: () => Promise<void> }) {
  const t = translate()
  const [asking, setAsking] = useState(false)
  const [busy, run] = useBusy()
  return (
    <>
      <Button
        variant="quiet"
        busy={busy}
        label={t('dashboard.operators.remove')}
        aria-label={t('dashboard.operators.removeOf', { name })}
        onClick={() => setAsking(true)}
      />
      {asking && (
        <ConfirmDialog
          title={t('dashboard.operators.removeOf', { name })}
          confirm={t('dashboard.operators.remove')}
          onClose={() => setAsking(false)}
          onConfirm={() => run(onSure)}
        >
          <p>{t('dashboard.operators.removeText')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
