import { useState } from 'react'
import type { Team, TeamInvitation, TeamMember } from '#backend/teams/contract.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { HTML_LANG } from '../../../i18n/core.ts'
import { dayText } from '../../../i18n/dayText.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { Spent } from '../Meter.tsx'
import { Invite, Limit } from './TeamForms.tsx'
import { close, leave, remove, withdraw } from './teams.ts'

interface TeamProps {
  readonly team: Team
  /** Id of the user. */
  readonly me: string
}

/** Shows a team: its balance and members and, to its owner, what changes them. */
export function TeamCard({ team, me }: TeamProps) {
  const t = translate()
  const [asking, setAsking] = useState<'invite' | 'end'>()
  const [busy, run] = useBusy()
  const isOwner = team.role === 'owner'
  const end = isOwner ? 'close' : 'leave'
  const named = { team: team.name }
  return (
    <article className="stack stack-wide card profile-card team" data-team={team.id}>
      <div className="row spread">
        <div className="row min-0">
          <h3 className="anywhere">{team.name}</h3>
          <span className="badge badge-plain">{t(`teams.role.${team.role}`)}</span>
        </div>
        <Button
          label={t(`teams.${end}.open`)}
          aria-label={t(`teams.${end}.openOf`, named)}
          variant="quiet"
          busy={busy}
          onClick={() => setAsking('end')}
        />
      </div>
      <Facts className="key-facts" facts={factsOf(team)} />
      {!isOwner && (
        <>
          <Spent label={t('teams.own')} used={team.used} limit={team.limit} />
          <p className="hint">{t('teams.stays')}</p>
        </>
      )}
      <Members team={team} me={me} />
      {isOwner && <Invited team={team} onInvite={() => setAsking('invite')} />}
      {asking === 'invite' && <Invite team={team} onClose={() => setAsking(undefined)} />}
      {asking === 'end' && (
        <ConfirmDialog
          title={t(`teams.${end}.title`, named)}
          confirm={t(`teams.${end}.confirm`)}
          onConfirm={() => void run(() => (isOwner ? close(team) : leave(team, me)))}
          onClose={() => setAsking(undefined)}
        >
          <p>{t(`teams.${end}.text`)}</p>
        </ConfirmDialog>
      )}
    </article>
  )
}

function factsOf({ role, owner, credits_remaining, seats, seats_used }: Team) {
  const t = translate()
  const number = (value: number) => value.toLocaleString(HTML_LANG[pageLocale()])
  return [
    [t('teams.balance'), number(credits_remaining)],
    ...(role === 'owner'
      ? [[t('teams.seats'), t('teams.seatsUsed', { used: number(seats_used), seats: number(seats) })] as const]
      : [[t('teams.owner'), owner.name] as const]),
  ] as const
}

function Members({ team, me }: TeamProps) {
  const t = translate()
  return (
    <div className="stack gap-1">
      <h4>{t('teams.members')}</h4>
      <ul ref={keepFocus}>
        {team.members.map((member) => (
          <Member team={team} member={member} isMe={member.id === me} key={member.id} />
        ))}
      </ul>
    </div>
  )
}

interface MemberProps {
  readonly team: Team
  readonly member: TeamMember
  readonly isMe: boolean
}

function Member({ team, member, isMe }: MemberProps) {
  const t = translate()
  const { name, email, role, used, limit } = member
  const isOwn = team.role === 'owner'
  return (
    <li className="team-row" data-member={member.id}>
      <div className="min-0">
        <strong className="anywhere">{name}</strong> {isMe && <span className="hint">({t('teams.you')})</span>}
        <p className="hint anywhere">{[t(`teams.role.${role}`), email].filter(Boolean).join(' · ')}</p>
      </div>
      {isOwn && used !== null && <Spent label={t('teams.spent')} used={used} limit={limit} />}
      {isOwn && role === 'member' && <MemberActions team={team} member={member} />}
    </li>
  )
}

function MemberActions({ team, member }: Pick<MemberProps, 'team' | 'member'>) {
  const t = translate()
  const [asking, setAsking] = useState<'limit' | 'remove'>()
  const [busy, run] = useBusy()
  const named = { name: member.name, team: team.name }
  const onClose = () => setAsking(undefined)
  return (
    <div className="row key-actions">
      <Button
        label={t('teams.limit.open')}
        aria-label={t('teams.limit.openOf', named)}
        variant="quiet"
        onClick={() => setAsking('limit')}
      />
      <Button
        label={t('teams.remove.open')}
        aria-label={t('teams.remove.openOf', named)}
        variant="quiet"
        busy={busy}
        onClick={() => setAsking('remove')}
      />
      {asking === 'limit' && <Limit team={team} member={member} onClose={onClose} />}
      {asking === 'remove' && (
        <ConfirmDialog
          title={t('teams.remove.title', named)}
          confirm={t('teams.remove.confirm')}
          onConfirm={() => void run(() => remove(team, member))}
          onClose={onClose}
        >
          <p>{t('teams.remove.text', named)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Shows the open invitations, and sends more while there are seats. */
function Invited({ team, onInvite }: { team: Team; onInvite: () => void }) {
  const t = translate()
  const isFull = team.seats_used >= team.seats
  return (
    <div className="stack">
      <div className="row spread">
        <h4>{t('teams.pending.heading')}</h4>
        <Button
          label={t('teams.invite.open')}
          variant="primary"
          icon="mail"
          aria-disabled={isFull || undefined}
          aria-describedby={isFull ? `full-${team.id}` : undefined}
          onClick={isFull ? undefined : onInvite}
        />
      </div>
      {isFull && (
        <p className="hint" id={`full-${team.id}`}>
          {t('teams.invite.full')}
        </p>
      )}
      {team.invitations.length === 0 && !isFull && <p className="muted">{t('teams.pending.none')}</p>}
      <ul ref={keepFocus}>
        {team.invitations.map((invitation) => (
          <Pending team={team} invitation={invitation} key={invitation.id} />
        ))}
      </ul>
    </div>
  )
}

function Pending({ team, invitation }: { team: Team; invitation: TeamInvitation }) {
  const t = translate()
  const [busy, run] = useBusy()
  const { email, credits_per_month: limit, expires_at } = invitation
  const facts = [
    limit === null
      ? t('teams.invite.noLimit')
      : t('teams.pending.limit', { limit: limit.toLocaleString(HTML_LANG[pageLocale()]) }),
    t('teams.pending.expires', { date: dayText(expires_at, 'medium') }),
  ]
  return (
    <li className="team-row">
      <div className="min-0">
        <strong className="anywhere">{email}</strong>
        <p className="hint">{facts.join(' · ')}</p>
      </div>
      <div className="row key-actions">
        <Button
          label={t('teams.pending.withdraw')}
          aria-label={t('teams.pending.withdrawOf', { email })}
          variant="quiet"
          busy={busy}
          onClick={() => void run(() => withdraw(team, invitation))}
        />
      </div>
    </li>
  )
}
