import * as z from 'zod/mini'

/** Normalizes timestamps to UTC with milliseconds, so that they sort as text. */
export const Instant = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((text: string) => new Date(text).toISOString()),
)
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
