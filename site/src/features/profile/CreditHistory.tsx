import type { CreditEntry } from '#backend/credits/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { Icon } from '../../ui/Icon.tsx'
import { creditHistory, csvAddress, reasonText } from './creditHistory.ts'
import { PagedSection } from './PagedSection.tsx'

/** Every movement of the user's credits, with its reason. */
export function CreditHistory() {
  const t = translate()
  return (
    <section className="profile-section" id="credits" aria-labelledby="credits-heading">
      <div className="section-head">
        <h2 id="credits-heading">{t('credits.heading')}</h2>
        <a className="button button-quiet" href={csvAddress} download>
          <Icon name="download" />
          {t('credits.csv')}
        </a>
      </div>
      <div className="card profile-card">
        <p className="muted">{t('credits.lead')}</p>
        <PagedSection
          list={creditHistory}
          label={t('credits.heading')}
          shown={(place) => t('credits.shown', place)}
          failure={(error) => errorText(error, t('credits.failed'))}
          skeleton={<div className="skeleton rows-skeleton" />}
          empty={<Empty />}
        >
          {(entries) => <Entries entries={entries} />}
        </PagedSection>
      </div>
    </section>
  )
}

function Entries({ entries }: { entries: readonly CreditEntry[] }) {
  const t = translate()
  return (
    <table className="records">
      <thead>
        <tr>
          <th scope="col">{t('credits.what')}</th>
          <th scope="col">{t('credits.when')}</th>
          <th scope="col" className="records-number">
            {t('credits.amount')}
          </th>
          <th scope="col" className="records-number">
            {t('credits.balance')}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ entry }: { entry: CreditEntry }) {
  const t = translate()
  const language = HTML_LANG[pageLocale()]
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const signed = new Intl.NumberFormat(language, { signDisplay: 'exceptZero' })
  return (
    <tr data-kind={entry.kind}>
      <th scope="row">
        {reasonText(entry.reason)}
        <span className="hint">{t(`credits.kind.${entry.kind}`)}</span>
      </th>
      <td>
        <time dateTime={entry.created_at}>{time.format(Date.parse(entry.created_at))}</time>
      </td>
      <td className="records-number records-amount" data-gain={entry.amount > 0 || undefined}>
        {signed.format(entry.amount)}
      </td>
      <td className="records-number records-aside" data-label={t('credits.balance')}>
        {entry.balance_after.toLocaleString(language)}
      </td>
    </tr>
  )
}

function Empty() {
  const t = translate()
  return (
    <div className="empty">
      <h3>{t('credits.emptyTitle')}</h3>
      <p>{t('credits.emptyText')}</p>
      <a className="button button-outline" href={localHref('/workspace')}>
        {t('works.create')}
      </a>
    </div>
  )
}
