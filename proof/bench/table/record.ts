import { appendFileSync } from 'node:fs'

/** A measured figure. `id` names a row of the table in `figures.ts`. */
export interface Measured {
  readonly id: string
  readonly value: number
}

/** Hands a figure to `npm run bench`, if it runs this bench. */
export function record(id: string, value: number): void {
  const file = process.env.KINORA_BENCH_ROWS
  if (file) appendFileSync(file, `${JSON.stringify({ id, value } satisfies Measured)}\n`)
}
