import { useStore } from '@nanostores/react'
import { CASE_KINDS, type CaseKind } from '#backend/cases/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Figures } from '../Figures.tsx'
import { Pages } from '../Pages.tsx'
import { Panel } from '../Panel.tsx'
import { Time } from '../Time.tsx'
import { $filter, caseHref, cases, filterCases } from './cases.ts'

/** Lists the cases that operators work on, those that are due first. */
export function Cases() {
  const t = translate()
  return (
    <Panel
      name="cases"
      section={cases}
      aside={<Filters />}
      empty={{ text: t('dashboard.cases.empty'), when: ({ total }) => total === 0 }}
    >
      {({ cases: rows, total, page, counts }) => (
        <>
          <p className="hint">{t('dashboard.cases.counts', counts)}</p>
          <Figures
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                head: t('dashboard.cases.kind'),
                isRowHead: true,
                cell: ({ id, kind }) => <a href={caseHref(id)}>{t(`dashboard.cases.kinds.${kind}`)}</a>,
              },
              {
                head: t('dashboard.cases.subject'),
                cell: ({ subject }) => <code>{subject}</code>,
              },
              {
                head: t('dashboard.cases.due'),
                cell: ({ due_at, closed_at }) =>
                  due_at ? (
                    <span
                      className="badge"
                      data-tone={!closed_at && Date.parse(due_at) < Date.now() ? 'danger' : 'warning'}
                    >
                      <Time iso={due_at} />
                    </span>
                  ) : (
                    '—'
                  ),
              },
              {
                head: t('dashboard.cases.owner'),
                cell: ({ owner, outcome }) =>
                  outcome ? t(`dashboard.cases.outcomes.${outcome}`) : (owner ?? t('dashboard.cases.nobody')),
              },
              { head: t('dashboard.cases.opened'), cell: ({ opened_at }) => <Time iso={opened_at} /> },
            ]}
          />
          <Pages name="cases" page={page} total={total} onOpen={cases.open} />
        </>
      )}
    </Panel>
  )
}

function Filters() {
  const t = translate()
  const { state, kind = '', owner = '' } = useStore($filter)
  return (
    <div className="row board-filters">
      <select
        className="input"
        aria-label={t('dashboard.cases.state')}
        value={state}
        onChange={({ target }) => filterCases({ state: target.value as 'open' | 'closed' })}
      >
        <option value="open">{t('dashboard.cases.open')}</option>
        <option value="closed">{t('dashboard.cases.closed')}</option>
      </select>
      <select
        className="input"
        aria-label={t('dashboard.cases.kind')}
        value={kind}
        onChange={({ target }) => filterCases({ kind: (target.value || undefined) as CaseKind | undefined })}
      >
        <option value="">{t('dashboard.cases.allKinds')}</option>
        {CASE_KINDS.map((each) => (
          <option key={each} value={each}>
            {t(`dashboard.cases.kinds.${each}`)}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label={t('dashboard.cases.owner')}
        value={owner}
        onChange={({ target }) => filterCases({ owner: (target.value || undefined) as 'me' | 'none' | undefined })}
      >
        <option value="">{t('dashboard.cases.anyone')}</option>
        <option value="me">{t('dashboard.cases.mine')}</option>
        <option value="none">{t('dashboard.cases.nobody')}</option>
      </select>
    </div>
  )
}
