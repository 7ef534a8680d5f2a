import { useStore } from '@nanostores/react'
import type { ReadableAtom } from 'nanostores'
import type { ReactNode } from 'react'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { Pagination } from '../../ui/lists/Pagination.tsx'
import type { PagedList } from '../../ui/lists/pagedList.ts'
import { LongWait } from '../../ui/waits/LongWait.tsx'

interface PagedSectionProps<T> {
  readonly list: {
    readonly $list: ReadableAtom<PagedList<T>>
    open(page: number): Promise<void>
    again(): Promise<void>
  }
  /** Accessible name of the pagination controls. */
  readonly label: string
  /** Where the catalogue has the texts of the list. */
  readonly texts: 'billing' | 'credits' | 'profile.security' | 'webhooks.deliveries' | 'works'
  /** Says why the list was not read; by default the reason or a general text. */
  readonly failure?: (error: unknown) => string
  readonly jumper?: boolean
  /** Placeholder shown until the first page loads. */
  readonly skeleton?: ReactNode
  readonly empty: ReactNode
  readonly children: (items: readonly T[]) => ReactNode
}

/** Paginated list with loading, error and empty states. */
export function PagedSection<T>(props: PagedSectionProps<T>) {
  const { list, label, texts, jumper = false, empty, children } = props
  const { skeleton = <div className="skeleton rows-skeleton" /> } = props
  const t = translate()
  const { failure = (error) => errorText(error, t(`${texts}.failed`)) } = props
  const { status, page, perPage, items, total, error } = useStore(list.$list)
  if (status === 'failed')
    return (
      <div className="empty centered stack gap-3" role="alert" ref={keepFocus}>
        <p>{failure(error)}</p>
        <Button label={t('common.action.retry')} icon="refresh" onClick={() => void list.again()} />
      </div>
    )
  if (status === 'loading' && items.length === 0)
    return (
      <>
        <LongWait onRetry={list.again} />
        <div aria-busy="true">
          <span className="sr-only" role="status">
            {t('common.loading')}
          </span>
          {skeleton}
        </div>
      </>
    )
  if (total === 0) return empty
  return (
    <div className="stack stack-wide paged" aria-busy={status === 'loading'}>
      {children(items)}
      <Pagination
        label={label}
        shown={(place) => t(`${texts}.shown`, place)}
        page={page}
        perPage={perPage}
        total={total}
        jumper={jumper}
        onOpen={(wanted) => void list.open(wanted)}
      />
    </div>
  )
}
