import { useEffect, useId, useState } from 'react'
import * as z from 'zod/mini'
import { operatorFactors } from '#backend/operators/contract.ts'
import { type Bulk, type Group, orderBulk, stopBulk } from '#backend/triage/contract.ts'
import { ApiError } from '../../../api/apiError.ts'
import { errorText } from '../../../api/errorText.ts'
import { textAt, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { ScrolledList } from '../desk/ScrolledList.tsx'
import { StopButton } from '../desk/StopButton.tsx'
import { Figures } from '../Figures.tsx'
import { numberText } from '../figures.ts'
import { May } from '../May.tsx'
import { Panel } from '../Panel.tsx'
import { Time } from '../Time.tsx'
import { count, kindOf, order, stop, triage } from './triage.ts'

/** Stuck and failed videos by error and engine, with a button that releases or repeats them. */
export function Triage() {
  const t = translate()
  const [chosen, setChosen] = useState<Group>()
  return (
    <Panel
      name="triage"
      section={triage}
      empty={{ text: t('dashboard.triage.empty'), when: ({ groups, bulks }) => groups.length + bulks.length === 0 }}
    >
      {({ groups, bulks }) => (
        <>
          {groups.length > 0 && (
            <Figures
              rows={groups}
              keyOf={({ state, code, engine }) => `${state} ${code} ${engine}`}
              columns={[
                {
                  head: t('dashboard.triage.cause'),
                  isRowHead: true,
                  cell: ({ state, code }) =>
                    state === 'stuck' ? t('dashboard.triage.stuck') : (textAt(`dashboard.tasks.code.${code}`) ?? code),
                },
                { head: t('dashboard.triage.engine'), cell: ({ engine }) => engine ?? '—' },
                { head: t('dashboard.triage.videos'), cell: (group) => numberText(group.count) },
                { head: t('dashboard.desk.credits'), cell: ({ credits }) => numberText(credits) },
                { head: t('dashboard.triage.since'), cell: ({ since }) => <Time iso={since} /> },
                {
                  head: t('dashboard.triage.act'),
                  headShown: '',
                  className: 'board-again',
                  cell: (group) => (
                    <May call={orderBulk}>
                      <Button
                        variant="quiet"
                        label={t(`dashboard.triage.kinds.${kindOf(group)}`)}
                        onClick={() => setChosen(group)}
                      />
                    </May>
                  ),
                },
              ]}
            />
          )}
          {bulks.length > 0 && <Bulks bulks={bulks} />}
          {chosen && <BulkDialog group={chosen} onClose={() => setChosen(undefined)} />}
        </>
      )}
    </Panel>
  )
}

function Bulks({ bulks }: { bulks: readonly Bulk[] }) {
  const t = translate()
  const isRunning = bulks.some(({ status, done }) => status === 'running' || done === null)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => void triage.load(), 2_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return (
    <ScrolledList>
      {bulks.map(({ id, kind, count, status, done, failed, operator, asked_at }) => (
        <li key={id}>
          <Time iso={asked_at} />{' '}
          <span>
            {`${t(`dashboard.triage.kinds.${kind}`)} · ${operator} · ${t(`dashboard.triage.status.${status}`)}`}
            {done !== null && ` · ${t('dashboard.triage.outcome', { done, count, failed: failed ?? 0 })}`}
          </span>{' '}
          {status === 'running' && (
            <StopButton call={stopBulk} about={t(`dashboard.triage.kinds.${kind}`)} onStop={() => stop(id)} />
          )}
        </li>
      ))}
    </ScrolledList>
  )
}

const Reason = z.object({
  reason: z.string('required').check(z.minLength(1, 'required'), z.maxLength(200, 'too_long')),
})

/** Counts the videos first, and orders the bulk with a reason. */
function BulkDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const t = translate()
  const id = useId()
  const [bulkId] = useState(() => crypto.randomUUID())
  const [found, setFound] = useState<Awaited<ReturnType<typeof count>>>()
  const [unread, setUnread] = useState<string>()
  const read = () => count(group).then(setFound, (error: unknown) => setUnread(errorText(error)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` is about the group alone.
  useEffect(() => void read(), [group])
  const { guard, dialog } = useStepUp(operatorFactors)
  const { form, field, problem, busy, ready } = useForm(Reason, async ({ reason }) => {
    await guard(() => order(group, found?.count ?? 0, reason, bulkId)).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'count_changed') await read()
      throw error
    })
    onClose()
  })
  const name = t(`dashboard.triage.kinds.${kindOf(group)}`)
  const foot = (
    <FormFoot form={id} submit={name} busy={busy} ready={ready && (found?.count ?? 0) > 0} onClose={onClose} />
  )
  return (
    <Dialog title={name} busy={busy} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={unread ?? (problem === undefined ? undefined : errorText(problem))} />
        <p role="status">
          {found &&
            t('dashboard.triage.dryRun', {
              videos: numberText(found.count),
              credits: numberText(found.credits),
              people: numberText(found.people),
            })}
        </p>
        <p className="hint">{t(`dashboard.desk.effects.${kindOf(group)}`)}</p>
        <Field
          label={t('dashboard.desk.reason')}
          hint={t('dashboard.desk.reasonHint')}
          autoComplete="off"
          maxLength={200}
          {...field('reason')}
        />
      </form>
      {dialog}
    </Dialog>
  )
}
