import * as z from 'zod/mini'
import { PaypalRefusal } from './paypalApi.ts'

/** Normalizes timestamps to UTC with milliseconds, so that they sort as text. */
export const Instant = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((text: string) => new Date(text).toISOString()),
)
export const Money = z.object({ currency_code: z.string(), value: z.string() })
export const Id = z.string().check(z.minLength(1), z.maxLength(128))

const Cycle = z.object({ tenure_type: z.string(), cycles_completed: z.number(), total_cycles: z.optional(z.number()) })

/** The fields of a subscription that Kinora uses, in API responses and webhooks. */
export const Subscription = z.object({
  id: Id,
  status: z.optional(z.enum(['APPROVAL_PENDING', 'APPROVED', 'ACTIVE', 'SUSPENDED', 'CANCELLED', 'EXPIRED'])),
  status_update_time: z.optional(Instant),
  create_time: z.optional(Instant),
  update_time: z.optional(Instant),
  custom_id: z.optional(z.string()),
  billing_info: z.optional(
    z.object({
      next_billing_time: z.optional(Instant),
      failed_payments_count: z.optional(z.number()),
      last_failed_payment: z.optional(z.object({ time: Instant })),
      cycle_executions: z.optional(z.array(Cycle)),
    }),
  ),
})
export type PaypalSubscription = z.infer<typeof Subscription>

const Linked = z.object({ links: z.optional(z.array(z.object({ rel: z.string(), href: z.string() }))) })

/** Returns the id of the capture that a refund of the Payments API v2 links to; undefined if it links to none. */
export function captureOf(refund: unknown): string | undefined {
  const { data } = z.safeParse(Linked, refund)
  const href = data?.links?.find(({ rel }) => rel === 'up')?.href ?? ''
  const [, id] = /\/v2\/payments\/captures\/([^/?]{1,128})$/.exec(href) ?? []
  return id === undefined ? undefined : decodeURIComponent(id)
}

/** Returns undefined for an object that PayPal does not know, or does not show to this app. */
export const known = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error) => {
    if (error instanceof PaypalRefusal && (error.status === 403 || error.status === 404)) return undefined
    throw error
  })
