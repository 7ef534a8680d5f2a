import { useStore } from '@nanostores/react'
import type { User } from '#backend/accounts/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { hasPlans } from '../../api/installation.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Facts } from '../../ui/Facts.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { TABS } from './accountTabs.ts'
import { invoiceFacts, NextPayment } from './Billing.tsx'
import { Figures } from './Figures.tsx'
import { invoiceList } from './invoices.ts'
import { LanguageChoice } from './LanguageSetting.tsx'
import { PersonalInfo } from './PersonalInfo.tsx'
import { Subscription } from './Subscription.tsx'
import { Works } from './Works.tsx'

/** Shows the account at a glance. Billing and settings are short forms of their tabs. */
export function Overview({ user }: { user: User }) {
  return (
    <>
      <PersonalInfo user={user} />
      <Figures />
      <Subscription />
      <Works />
      <div className="profile-columns">
        {hasPlans() && <LastPayment />}
        <ShortSettings user={user} />
      </div>
    </>
  )
}

function LastPayment() {
  const t = translate()
  return (
    <section className="stack stack-wide profile-section" id="billing" aria-labelledby="billing-heading">
      <div className="row spread">
        <h2 id="billing-heading">{t('billing.heading')}</h2>
        <a href={localHref(TABS.billing)}>{t('billing.history')}</a>
      </div>
      <div className="stack stack-wide card profile-card">
        <NextPayment />
        <LastInvoice />
      </div>
    </section>
  )
}

function LastInvoice() {
  const t = translate()
  const { status, items, error } = useStore(invoiceList.$list)
  const [invoice] = items
  if (invoice) return <Facts className="profile-invoice" facts={invoiceFacts(invoice)} />
  if (status === 'loading')
    return (
      <>
        <LongWait onRetry={invoiceList.again} />
        <div className="skeleton rows-skeleton" />
      </>
    )
  if (status === 'ready') return <p className="muted">{t('billing.emptyText')}</p>
  return <RetryNotice tone="danger" text={errorText(error, t('billing.failed'))} onRetry={invoiceList.again} />
}

function ShortSettings({ user }: { user: User }) {
  const t = translate()
  const links = [
    [`${TABS.settings}#notices`, t('profile.notices.heading')],
    [`${TABS.security}#password`, t('profile.password.heading')],
    [`${TABS.security}#two-step`, t('profile.factors.heading')],
    [`${TABS.security}#devices`, t('profile.devices.heading')],
  ] as const
  return (
    <section className="stack stack-wide profile-section" id="settings" aria-labelledby="settings-heading">
      <div className="row spread">
        <h2 id="settings-heading">{t('profile.settings.heading')}</h2>
        <a href={localHref(TABS.settings)}>{t('profile.settings.all')}</a>
      </div>
      <div className="stack stack-wide card profile-card">
        <LanguageChoice language={user.language} />
        <ul className="row profile-links">
          {links.map(([path, text]) => (
            <li key={path}>
              <a className="touch" href={localHref(path)}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
