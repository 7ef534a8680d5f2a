import { type ReactNode, useId } from 'react'
import { TEAM_NAME_MAX, type Team, type TeamMember } from '#backend/teams/contract.ts'
import { ApiError } from '../../../api/apiError.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { InviteForm, invite, LimitForm, limitMember, makeTeam, TeamForm } from './teams.ts'

interface FormDialogProps {
  readonly title: string
  readonly submit: string
  readonly lead?: string
  readonly made: ReturnType<typeof useForm>
  readonly onClose: () => void
  readonly children: ReactNode
}

function problemText(problem: unknown): string {
  const t = translate()
  const noMail = problem instanceof ApiError && problem.code === 'mail_required'
  return noMail ? t('teams.invite.noMail') : errorText(problem, t('profile.failed'))
}

/** A dialog with one form. */
function FormDialog({ title, submit, lead, made, onClose, children }: FormDialogProps) {
  const id = useId()
  const { form, problem, busy, ready } = made
  const foot = <FormFoot form={id} submit={submit} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={title} busy={busy} onClose={onClose} foot={foot}>
      {lead && <p>{lead}</p>}
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : problemText(problem)} />
        {children}
      </form>
    </Dialog>
  )
}

export function CreateTeam({ onClose }: { onClose: () => void }) {
  const t = translate()
  const made = useForm(TeamForm, async (order) => {
    await makeTeam(order)
    onClose()
  })
  return (
    <FormDialog
      title={t('teams.create.title')}
      submit={t('teams.create.submit')}
      lead={t('teams.create.lead')}
      made={made}
      onClose={onClose}
    >
      <Field label={t('teams.create.name')} maxLength={TEAM_NAME_MAX} autoComplete="off" {...made.field('name')} />
    </FormDialog>
  )
}

interface TeamDialogProps {
  readonly team: Team
  readonly onClose: () => void
}

export function Invite({ team, onClose }: TeamDialogProps) {
  const t = translate()
  const made = useForm(InviteForm, async (order) => {
    await invite(team, order)
    onClose()
  })
  return (
    <FormDialog
      title={t('teams.invite.title', { team: team.name })}
      submit={t('teams.invite.submit')}
      made={made}
      onClose={onClose}
    >
      <Field
        label={t('teams.invite.email')}
        type="email"
        inputMode="email"
        autoComplete="off"
        {...made.field('email')}
      />
      <Credits {...made.field('credits_per_month')} />
    </FormDialog>
  )
}

export function Limit({ team, member, onClose }: TeamDialogProps & { readonly member: TeamMember }) {
  const t = translate()
  const made = useForm(LimitForm, async (order) => {
    await limitMember(team, member, order)
    onClose()
  })
  return (
    <FormDialog
      title={t('teams.limit.title', { name: member.name })}
      submit={t('teams.limit.submit')}
      lead={t('teams.limit.lead')}
      made={made}
      onClose={onClose}
    >
      <Credits defaultValue={member.limit ?? ''} {...made.field('credits_per_month')} />
    </FormDialog>
  )
}

type CreditsProps = ReturnType<ReturnType<typeof useForm>['field']> & { readonly defaultValue?: number | '' }

function Credits(field: CreditsProps) {
  const t = translate()
  return (
    <Field
      label={t('teams.invite.limit')}
      hint={t('teams.invite.limitHint')}
      inputMode="numeric"
      autoComplete="off"
      placeholder={t('teams.invite.noLimit')}
      {...field}
    />
  )
}
