import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { hasPlans } from '../../api/installation.ts'
import { $session } from '../../api/session.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { Billing } from './Billing.tsx'
import { CreditHistory } from './CreditHistory.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { Devices } from './Devices.tsx'
import { Figures } from './Figures.tsx'
import { LanguageSetting } from './LanguageSetting.tsx'
import { NoticeSettings } from './notices/NoticeSettings.tsx'
import { PasswordSetting } from './PasswordSetting.tsx'
import { PersonalInfo } from './PersonalInfo.tsx'
import { $profile, openProfile } from './profile.ts'
import { Security } from './Security.tsx'
import { Subscription } from './Subscription.tsx'
import { Works } from './Works.tsx'

export function Profile() {
  const t = translate()
  const stage = useStore($profile)
  const session = useStore($session)
  useEffect(() => void openProfile(), [])
  useEffect(() => {
    // The section in the URL fragment did not exist when the browser first tried to scroll to it.
    if (stage === 'open' && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [stage])
  if (stage === 'deleted') return <Deleted />
  if (stage === 'loading') return <Loading />
  if (stage === 'away' || session.status !== 'in') return null
  return (
    <ErrorBoundary>
      <SectionLinks />
      <PersonalInfo user={session.user} />
      <Figures />
      <Subscription />
      <Works />
      {hasPlans() && <Billing />}
      <CreditHistory />
      <Security />
      <section className="stack stack-wide profile-section" id="settings" aria-labelledby="settings-heading">
        <h2 id="settings-heading">{t('profile.settings.heading')}</h2>
        <LanguageSetting language={session.user.language} />
        <NoticeSettings />
        <PasswordSetting />
        <Devices />
        <DeleteAccount />
      </section>
    </ErrorBoundary>
  )
}

const SECTIONS = {
  subscription: 'subscription.heading',
  works: 'works.heading',
  billing: 'billing.heading',
  credits: 'credits.heading',
  security: 'profile.security.heading',
  settings: 'profile.settings.heading',
} as const
const { billing: _, ...OTHERS } = SECTIONS
const WITHOUT_PLANS = { ...OTHERS, subscription: 'subscription.usage' } as const

/** Links to the sections of the page. */
function SectionLinks() {
  const t = translate()
  return (
    <nav className="row profile-nav" aria-label={t('profile.places')}>
      {Object.entries(hasPlans() ? SECTIONS : WITHOUT_PLANS).map(([section, heading]) => (
        <a className="touch nav-link" key={section} href={`#${section}`}>
          {t(heading)}
        </a>
      ))}
    </nav>
  )
}

function Deleted() {
  const t = translate()
  return (
    <div className="stack stack-wide card profile-card">
      <Outcome takesFocus tone="success" icon="checkRound" heading={t('profile.delete.doneHeading')}>
        <p className="muted">{t('profile.delete.doneText')}</p>
        <LinkButton label={t('profile.delete.home')} variant="primary" href={localHref('/')} />
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
