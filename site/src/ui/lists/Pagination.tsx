import { type SubmitEvent, useId } from 'react'
import { translate } from '../../i18n/client.ts'
import { Button, IconButton } from '../Button.tsx'
import { keepFocus } from './keepFocus.ts'
import { pagesShown } from './pagesShown.ts'

interface PaginationProps {
  /** Accessible name of the list. */
  readonly label: string
  /** Formats the range of items shown. `count` is the total, for the plural. */
  readonly shown: (place: { start: number; end: number; total: number; count: number }) => string
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** Adds an input to open a page by its number. */
  readonly jumper?: boolean
  readonly onOpen: (page: number) => void
}

/** Shows the current range of a list and controls that change the page. */
export function Pagination({ label, shown, page, perPage, total, jumper = false, onOpen }: PaginationProps) {
  const t = translate()
  const count = Math.ceil(total / perPage)
  const start = (page - 1) * perPage + 1
  return (
    <div className="row pagination" ref={keepFocus}>
      <p className="hint" role="status">
        {shown({ start, end: Math.min(page * perPage, total), total, count: total })}
      </p>
      {count > 1 && (
        <nav className="pages" aria-label={t('profile.pages.label', { list: label })}>
          <span className="pages-back">
            <IconButton
              icon="chevron"
              label={t('profile.pages.previous')}
              disabled={page <= 1}
              onClick={() => onOpen(page - 1)}
            />
          </span>
          <Numbers page={page} count={count} onOpen={onOpen} />
          <span className="pages-on">
            <IconButton
              icon="chevron"
              label={t('profile.pages.next')}
              disabled={page >= count}
              onClick={() => onOpen(page + 1)}
            />
          </span>
        </nav>
      )}
      {jumper && count > 1 && <Jumper count={count} onOpen={onOpen} />}
    </div>
  )
}

type NumbersProps = Pick<PaginationProps, 'page' | 'onOpen'> & { readonly count: number }

function Numbers({ page, count, onOpen }: NumbersProps) {
  const t = translate()
  const shown = pagesShown(page, count)
  return shown.map((each, index) =>
    each === null ? (
      <span className="pages-gap" aria-hidden="true" key={`after ${shown[index - 1]}`}>
        …
      </span>
    ) : (
      <button
        type="button"
        className="page-button muted"
        key={each}
        aria-label={t('profile.pages.page', { page: each })}
        aria-current={each === page ? 'page' : undefined}
        onClick={() => each !== page && onOpen(each)}
      >
        {each}
      </button>
    ),
  )
}

function Jumper({ count, onOpen }: Pick<PaginationProps, 'onOpen'> & { readonly count: number }) {
  const t = translate()
  const id = useId()
  const jump = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const field = event.currentTarget.elements.namedItem('page') as HTMLInputElement
    const wanted = Math.round(Number(field.value))
    if (field.value.trim() === '' || Number.isNaN(wanted)) return field.focus()
    onOpen(Math.min(count, Math.max(1, wanted)))
    field.value = ''
  }
  return (
    <form className="line jumper" onSubmit={jump} noValidate>
      <label className="hint" htmlFor={id}>
        {t('profile.pages.jump')}
      </label>
      <input className="input" id={id} name="page" inputMode="numeric" autoComplete="off" maxLength={6} />
      <Button label={t('profile.pages.go')} type="submit" variant="outline" />
    </form>
  )
}
