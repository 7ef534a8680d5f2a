import * as z from 'zod/mini'
import { CodeOrder } from '#backend/operators/contract.ts'

/** Values of a native form: texts by field name. */
type Values = Readonly<Record<string, string>>

/** Schema of the form that issues codes. An empty number is refused by the contract; without days, codes never expire. */
export const CodeForm = z.pipe(
  z.transform((values: Values): z.input<typeof CodeOrder> => {
    const number = (name: string) => Number(values[name])
    const days = values.expires_in_days?.trim() ? number('expires_in_days') : null
    const numbers = { count: number('count'), credits: number('credits'), uses: number('uses') }
    return { label: values.label ?? '', ...numbers, audience: values.audience as 'all', expires_in_days: days }
  }),
  CodeOrder,
)
