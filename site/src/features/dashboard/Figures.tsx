import type { ComponentProps } from 'react'
import { Table } from '../../ui/Table.tsx'

/** A table of figures. On phones, each has its name beside it. */
export function Figures<Row>({ columns, ...table }: Omit<ComponentProps<typeof Table<Row>>, 'className'>) {
  const named = columns.map((column) => ({
    ...column,
    cellProps: () => (column.headShown === '' ? {} : { 'data-label': column.head }),
  }))
  return <Table className="table-lines board-table board-figures" columns={named} {...table} />
}
