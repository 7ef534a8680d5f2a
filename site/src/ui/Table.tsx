import type { ComponentProps, ReactNode } from 'react'

interface Column<Row> {
  readonly head: string
  /** Visible column header, if it differs from `head`, which screen readers announce. */
  readonly headShown?: string
  /** Renders the cells as row headers. */
  readonly isRowHead?: boolean
  readonly className?: string
  readonly cell: (row: Row, index: number) => ReactNode
  /** Additional attributes of a cell. */
  readonly cellProps?: (row: Row) => ComponentProps<'td'> & Readonly<Record<`data-${string}`, unknown>>
}

interface TableProps<Row> {
  readonly className: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row, index: number) => string
  readonly rowProps?: (row: Row) => ComponentProps<'tr'>
}

/** A table with one column for each entry of `columns`. */
export function Table<Row>({ className, columns, rows, keyOf, rowProps }: TableProps<Row>) {
  return (
    <table className={`table ${className}`}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" className={column.className} key={column.head}>
              <span className={column.headShown === undefined ? undefined : 'sr-only'}>{column.head}</span>
              {column.headShown && <span aria-hidden="true">{column.headShown}</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)} {...rowProps?.(row)}>
            {columns.map(({ head, isRowHead, className, cell, cellProps }) => {
              const Cell = isRowHead ? 'th' : 'td'
              return (
                <Cell key={head} scope={isRowHead ? 'row' : undefined} className={className} {...cellProps?.(row)}>
                  {cell(row, index)}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
