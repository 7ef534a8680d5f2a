import { useStore } from '@nanostores/react'
import { lazy, Suspense, useEffect } from 'react'
import type { User } from '#backend/accounts/contract.ts'
import { hasPlans } from '../../api/installation.ts'
import { $session } from '../../api/session.ts'
import { translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import type { Tab } from './accountTabs.ts'
import { Billing } from './Billing.tsx'
import { CreditHistory } from './CreditHistory.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { DownloadData } from './DownloadData.tsx'
import { Developers } from './keys/Developers.tsx'
import { LanguageSetting } from './LanguageSetting.tsx'
import { NoticeSettings } from './notices/NoticeSettings.tsx'
import { Overview } from './Overview.tsx'
import { $profile, openProfile } from './profile.ts'
import { Security } from './Security.tsx'
import { Subscription } from './Subscription.tsx'
import { Webhooks } from './webhooks/Webhooks.tsx'

const Teams = lazy(async () => ({ default: (await import('./teams/Teams.tsx')).Teams }))

/** Shows one tab of the account. */
export function Profile({ tab }: { tab: Tab }) {
  const stage = useStore($profile)
  const session = useStore($session)
  useEffect(() => void openProfile(tab), [tab])
  useEffect(() => {
    // The section in the URL fragment did not exist when the browser first tried to scroll to it.
    if (stage === 'open' && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [stage])
  if (stage === 'deleted') return <Deleted />
  if (stage === 'loading')
    return (
      <>
        <LongWait />
        <Loading />
      </>
    )
  if (stage === 'away' || session.status !== 'in') return null
  return (
    <ErrorBoundary>
      <Sections tab={tab} user={session.user} />
    </ErrorBoundary>
  )
}

function Sections({ tab, user }: { tab: Tab; user: User }) {
  switch (tab) {
    case 'overview':
      return <Overview user={user} />
    case 'billing':
      return (
        <>
          <Subscription />
          {hasPlans() && <Billing />}
        </>
      )
    case 'credits':
      return <CreditHistory />
    case 'teams':
      return (
        <Suspense fallback={<Loading />}>
          <Teams me={user.id} />
        </Suspense>
      )
    case 'security':
      return <Security />
    case 'developers':
      return (
        <>
          <Developers />
          <Webhooks />
        </>
      )
    case 'settings':
      return <Settings user={user} />
  }
}

function Settings({ user }: { user: User }) {
  return (
    <section className="stack stack-wide profile-section" id="settings" aria-labelledby="settings-heading">
      <h2 id="settings-heading">{translate()('profile.settings.heading')}</h2>
      <div className="profile-columns">
        <NoticeSettings />
        <LanguageSetting language={user.language} />
        <DownloadData />
        <DeleteAccount />
      </div>
    </section>
  )
}

function Deleted() {
  const t = translate()
  return (
    <div className="stack stack-wide card profile-card">
      <Outcome takesFocus tone="success" icon="checkRound" heading={t('profile.delete.doneHeading')}>
        <p className="muted">{t('profile.delete.doneText')}</p>
        <LinkButton label={t('profile.delete.home')} variant="primary" to="/" />
      </Outcome>
    </div>
  )
}

function Loading() {
  return (
    <div className="stack stack-wide profile-section" aria-busy="true">
      <span className="sr-only" role="status">
        {translate()('common.loading')}
      </span>
      <div className="skeleton profile-skeleton" />
      <div className="skeleton profile-skeleton" />
      <div className="skeleton profile-skeleton" />
    </div>
  )
}
