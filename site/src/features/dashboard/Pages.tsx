import { translate } from '../../i18n/client.ts'
import { Pagination } from '../../ui/lists/Pagination.tsx'
import { PER_PAGE } from './board.ts'
import { numberText } from './figures.ts'
import type { ListName } from './Panel.tsx'

interface PagesProps {
  /** Name of the list in the catalogue. */
  readonly name: ListName
  readonly page: number
  readonly total: number
  readonly onOpen: (page: number) => void
}

/** The page buttons of a list of the board; nothing if it fits on one page. */
export function Pages({ name, page, total, onOpen }: PagesProps) {
  const t = translate()
  if (total <= PER_PAGE) return null
  return (
    <Pagination
      label={t(`dashboard.${name}.heading`)}
      shown={({ start, end }) =>
        t(`dashboard.${name}.shown`, { start: numberText(start), end: numberText(end), total: numberText(total) })
      }
      page={page}
      perPage={PER_PAGE}
      total={total}
      onOpen={onOpen}
    />
  )
}
