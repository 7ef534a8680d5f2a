import { useStore } from '@nanostores/react'
import { type ReactNode, useState } from 'react'
import { hasPlans } from '../../../api/installation.ts'
import { $teams, loadTeams } from '../../../api/teams.ts'
import { translate } from '../../../i18n/client.ts'
import { Button, LinkButton } from '../../../ui/Button.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { LongWait } from '../../../ui/waits/LongWait.tsx'
import { TeamCard } from './TeamCard.tsx'
import { CreateTeam } from './TeamForms.tsx'

/** Shows the user's own team and those that the user has joined. */
export function Teams({ me }: { me: string }) {
  const t = translate()
  const state = useStore($teams)
  const [creating, setCreating] = useState(false)
  const known = state === 'failed' ? null : state
  const isEmpty = known?.teams.length === 0
  const create = known?.can_create && (
    <Button label={t('teams.create.open')} variant="primary" icon="plus" onClick={() => setCreating(true)} />
  )
  return (
    <section className="stack stack-wide profile-section" id="teams" aria-labelledby="teams-heading">
      <div className="row spread keys-head">
        <h2 id="teams-heading">{t('teams.heading')}</h2>
        {!isEmpty && create}
      </div>
      <p className="muted keys-lead">{t('teams.lead')}</p>
      {state === null && (
        <>
          <LongWait onRetry={loadTeams} />
          <div className="skeleton keys-skeleton" aria-busy="true" />
        </>
      )}
      {state === 'failed' && <RetryNotice tone="danger" text={t('teams.failed')} onRetry={loadTeams} />}
      <div className="stack stack-wide" ref={keepFocus}>
        {isEmpty && <NoTeam>{create}</NoTeam>}
        {known?.teams.map((team) => (
          <TeamCard team={team} me={me} key={team.id} />
        ))}
      </div>
      {creating && <CreateTeam onClose={() => setCreating(false)} />}
    </section>
  )
}

function NoTeam({ children }: { children: ReactNode }) {
  const t = translate()
  const [text, plan] = [t('teams.empty.text'), t('plans.tier.ultimate.name')]
  const needs = hasPlans() ? t('teams.empty.needsPlan', { plan }) : t('teams.empty.offHere')
  return (
    <div className="card">
      <Empty
        title={<h3 className="empty-title">{t('teams.empty.title')}</h3>}
        text={children ? text : `${text} ${needs}`}
      >
        {children ||
          (hasPlans() && <LinkButton label={t('teams.empty.plans')} variant="outline" to="/profile/billing" />)}
      </Empty>
    </div>
  )
}
