import { useStore } from '@nanostores/react'
import type { SecurityRecord } from '#backend/accounts/contract.ts'
import { userFactors } from '#backend/accounts/contract.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Factors } from '../../ui/factors/Factors.tsx'
import { Table } from '../../ui/Table.tsx'
import { Devices } from './Devices.tsx'
import { PagedSection } from './PagedSection.tsx'
import { FirstPassword, PasswordSetting } from './PasswordSetting.tsx'
import { $hasPassword, deviceName } from './profile.ts'
import { SignIns } from './SignIns.tsx'
import { securityLog } from './securityLog.ts'

/** Shows what protects the account, where it is signed in, and the events that concern access to it. */
export function Security() {
  const t = translate()
  const firstPassword = useStore($hasPassword) === false && (
    <>
      <p>{t('profile.factors.needsPassword')}</p>
      <FirstPassword />
    </>
  )
  return (
    <section className="stack stack-wide profile-section" id="security" aria-labelledby="security-heading">
      <h2 id="security-heading">{t('profile.security.heading')}</h2>
      <div className="stack stack-wide card profile-card" id="two-step">
        <h3>{t('profile.factors.heading')}</h3>
        <p className="muted">{t('profile.factors.lead')}</p>
        <Factors endpoints={userFactors} firstPassword={firstPassword} onChange={() => void securityLog.open(1)} />
      </div>
      <div className="profile-columns">
        <PasswordSetting />
        <Devices />
      </div>
      <div className="stack stack-wide card profile-card">
        <h3>{t('profile.security.activity')}</h3>
        <p className="muted">{t('profile.security.lead')}</p>
        <PagedSection
          list={securityLog}
          label={t('profile.security.activity')}
          texts="profile.security"
          empty={
            <Empty title={<h4>{t('profile.security.emptyTitle')}</h4>} text={t('profile.security.emptyText')}>
              <LinkButton label={t('profile.password.submit')} variant="outline" href="#password" />
            </Empty>
          }
        >
          {(records) => <Records records={records} />}
        </PagedSection>
      </div>
      {/* Last, because most installations have none, and its arrival moves nothing there. */}
      <SignIns />
    </section>
  )
}

function Records({ records }: { records: readonly SecurityRecord[] }) {
  const t = translate()
  const time = new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Table
      className="table-lines records"
      rows={records}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('profile.security.what'),
          isRowHead: true,
          cell: (record) => (
            <>
              {t(`profile.security.event.${record.event}`)}
              <span className="hint">{deviceName(record)}</span>
            </>
          ),
        },
        {
          head: t('profile.security.when'),
          cell: ({ at }) => <time dateTime={at}>{time.format(Date.parse(at))}</time>,
        },
        {
          head: t('profile.security.network'),
          cell: ({ network }) => network ?? t('profile.security.unknown'),
        },
      ]}
    />
  )
}
