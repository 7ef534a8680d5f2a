import { must } from '../must.ts'

/** Returns the row of a statement that always has one. @example onlyRow(await pool.query('select 1 as n')).n */
export const onlyRow = <Row>({ rows }: { readonly rows: readonly Row[] }): Row => must(rows[0], 'row')
