import { useStore } from '@nanostores/react'
import { useState } from 'react'
import type { CreditEntry } from '#backend/credits/contract.ts'
import { $teams, knownTeams } from '../../api/teams.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Choices } from '../../ui/Choices.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { OwnReceipt } from '../../ui/OwnReceipt.tsx'
import { Table } from '../../ui/Table.tsx'
import { $account, creditHistory, csvAddress, openAccount, reasonText } from './creditHistory.ts'
import { PagedSection } from './PagedSection.tsx'

/** Lists every change to the credit balance with its reason. */
export function CreditHistory() {
  const t = translate()
  const account = useStore($account)
  const teams = knownTeams(useStore($teams))
  const joined = teams.filter(({ role }) => role === 'member')
  return (
    <section className="stack stack-wide profile-section" id="credits" aria-labelledby="credits-heading">
      <div className="row spread">
        <h2 id="credits-heading">{t('credits.heading')}</h2>
        <a className="button button-quiet" href={csvAddress(account)} download>
          <Icon name="download" />
          {t('credits.csv')}
        </a>
      </div>
      <div className="stack stack-wide card profile-card">
        {joined.length > 0 && (
          <Choices
            label={t('credits.of')}
            value={account ?? ''}
            options={[
              { value: '', label: t('credits.mine') },
              ...joined.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id) => void openAccount(id || undefined)}
          />
        )}
        <p className="muted">{t(account ? 'credits.leadTeam' : 'credits.lead')}</p>
        <PagedSection list={creditHistory} label={t('credits.heading')} texts="credits" empty={<NoEntries />}>
          {(entries) => <Entries entries={entries} showsBy={!account && joined.length < teams.length} />}
        </PagedSection>
      </div>
    </section>
  )
}

/** @param showsBy names the members of the user's team that have spent the credits */
function Entries({ entries, showsBy }: { entries: readonly CreditEntry[]; showsBy: boolean }) {
  const t = translate()
  const language = HTML_LANG[pageLocale()]
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const signed = new Intl.NumberFormat(language, { signDisplay: 'exceptZero' })
  return (
    <Table
      className="table-lines records"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('credits.what'),
          isRowHead: true,
          cell: (entry) => <What entry={entry} />,
        },
        {
          head: t('credits.when'),
          cell: ({ created_at }) => <time dateTime={created_at}>{time.format(Date.parse(created_at))}</time>,
        },
        ...(showsBy
          ? [
              {
                head: t('credits.by'),
                cellProps: () => ({ 'data-label': t('credits.by') }),
                cell: ({ by }: CreditEntry) => by?.name ?? t('credits.byYou'),
              },
            ]
          : []),
        {
          head: t('credits.amount'),
          className: 'number records-amount',
          cellProps: ({ amount }) => ({ 'data-gain': amount > 0 || undefined }),
          cell: ({ amount }) => signed.format(amount),
        },
        {
          head: t('credits.balance'),
          className: 'number records-aside',
          cellProps: () => ({ 'data-label': t('credits.balance') }),
          cell: ({ balance_after }) => balance_after.toLocaleString(language),
        },
      ]}
    />
  )
}

/** What moved the credits: a film with its picture, its page and its receipt, or another reason. */
function What({ entry: { reason, kind, task_id, film } }: { readonly entry: CreditEntry }) {
  const t = translate()
  const [open, setOpen] = useState(false)
  return (
    <div className="records-what">
      {film?.thumbnail_url && <img src={film.thumbnail_url} alt="" loading="lazy" />}
      <div>
        {film && task_id ? (
          <a className="link records-film" href={localHref(`/film/${task_id}`)}>
            {film.prompt || reasonText(reason)}
          </a>
        ) : (
          reasonText(reason)
        )}
        <span className="hint">
          {film ? `${reasonText(reason)} · ` : ''}
          {t(`credits.kind.${kind}`)}
        </span>
        {task_id && (
          <button type="button" className="link records-receipt" onClick={() => setOpen(true)}>
            {t('receipt.open')}
          </button>
        )}
      </div>
      {open && task_id && (
        <Dialog size={600} title={t('receipt.heading')} onClose={() => setOpen(false)}>
          <OwnReceipt taskId={task_id} />
        </Dialog>
      )}
    </div>
  )
}

function NoEntries() {
  const t = translate()
  return (
    <Empty title={<h3>{t('credits.emptyTitle')}</h3>} text={t('credits.emptyText')}>
      <LinkButton label={t('works.create')} variant="outline" to="/workspace" />
    </Empty>
  )
}
