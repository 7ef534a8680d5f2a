import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { CLEARED, type Filter, isFiltered } from './filter.ts'
import { Grid } from './Grid.tsx'
import { $films, $filter, $library, loadFilms, loadMore, refreshFilms, setFilter } from './library.ts'

/** Shows the grid, or why there is none. */
export function Films({ onOpen }: { readonly onOpen: (task: Task) => void }) {
  const t = translate()
  const { status, tasks, total, error } = useStore($films)
  const stage = useStore($library)
  const filter = useStore($filter)
  if (status === 'failed')
    return (
      <div className="empty centered stack gap-3" role="alert" ref={keepFocus}>
        <p>{error instanceof ApiError && error.status > 0 ? errorText(error) : t('works.failed')}</p>
        <Button label={t('common.action.retry')} icon="refresh" onClick={() => void loadFilms()} />
      </div>
    )
  if (status === 'loading' && tasks.length === 0)
    return (
      <>
        {stage === 'open' && <LongWait onRetry={loadFilms} />}
        <Skeleton />
      </>
    )
  if (tasks.length === 0) return isFiltered(filter) ? <NoMatch /> : <NoFilms of={filter.library} />
  return (
    <section className="library-films paged" aria-label={t('library.heading')} aria-busy={status === 'loading'}>
      <Grid tasks={tasks} onOpen={onOpen} />
      <div className="library-end center" role="status" data-more={tasks.length < total || undefined}>
        {status === 'more' && t('common.loading')}
        {status === 'stuck' && <Retry text={t('library.stuck')} onRetry={loadMore} />}
        {status === 'stale' && <Retry text={t('library.stale')} onRetry={refreshFilms} />}
      </div>
    </section>
  )
}

const Retry = ({ text, onRetry }: { readonly text: string; readonly onRetry: () => Promise<void> }) => (
  <div className="library-retry centered stack">
    <p>{text}</p>
    <Button label={translate()('common.action.retry')} icon="refresh" onClick={() => void onRetry()} />
  </div>
)

function NoFilms({ of }: { of: Filter['library'] }) {
  const t = translate()
  const [title, text] =
    of === 'team'
      ? (['library.teamEmpty', 'library.teamEmptyText'] as const)
      : (['works.emptyTitle', 'works.emptyText'] as const)
  return (
    <Empty picture title={<h2>{t(title)}</h2>} text={t(text)}>
      <LinkButton label={t('works.create')} variant="primary" to="/workspace" />
    </Empty>
  )
}

function NoMatch() {
  const t = translate()
  return (
    <Empty picture title={<h2>{t('library.noMatch')}</h2>} text={t('library.noMatchText')}>
      <Button label={t('library.clear')} variant="outline" onClick={() => void setFilter(CLEARED)} />
    </Empty>
  )
}

const PLACES = Array.from({ length: 12 }, (_, n) => `place ${n}`)

function Skeleton() {
  return (
    <div className="library-skeleton stack" aria-busy="true">
      <span className="sr-only" role="status">
        {translate()('common.loading')}
      </span>
      {PLACES.map((place) => (
        <div className="skeleton" key={place} />
      ))}
    </div>
  )
}
