import * as z from 'zod/mini'
import { Language } from './fields.contract.ts'

export const User = z.object({
  id: z.string(),
  email: z.string(),
  username: z.string(),
  full_name: z.string(),
  language: Language,
  created_at: z.string(),
  /** An operator has suspended the account. */
  suspended: z.optional(z.literal(true)),
})
export type User = z.infer<typeof User>
