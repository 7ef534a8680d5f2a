import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'
import { Stats } from '../subscriptions/contract.ts'

export type { Stats } from '../subscriptions/contract.ts'

export const Redemption = z.object({
  code: z.string('required').check(z.minLength(1, 'required'), z.maxLength(100, 'too_long')),
})

export const redeem = endpoint('POST /credits/redeem', {
  access: 'user',
  unlessSuspended: true,
  body: Redemption,
  answer: z.object({ credits: z.number(), stats: Stats }),
  refuses: ['unknown_code', 'too_many_requests'],
  summary: 'Redeems a code. One that is wrong, used up, expired or not for this account is answered alike',
})
