import * as z from 'zod/mini'
import { typedLine } from '../kernel/text/typedText.contract.ts'

const names = (max: number, length: number) => z.array(typedLine(length)).check(z.maxLength(max, 'too_long'))

/** Claims that the landing page makes in numbers, such as `10K+`. */
export const FIGURES = ['users', 'videos', 'satisfaction', 'availability'] as const

const Figures = z.object({
  users: typedLine(12),
  videos: typedLine(12),
  satisfaction: typedLine(12),
  availability: typedLine(12),
})

/** What an operator can change without a rebuild. */
export const Settings = z.object({
  /** No new videos are ordered. Those that were ordered before are made. */
  generation_paused: z.boolean(),
  /** No new accounts, except by invitation. */
  registration_paused: z.boolean(),
  /** Ids of models that take no new orders. */
  paused_models: names(100, 100),
  /** Names of payment providers that open no new checkout. Their webhooks are taken. */
  paused_tills: names(20, 40),
  /** Shown on every page, each language as written; null for none. */
  banner: z.nullable(z.object({ en: typedLine(200), zh: typedLine(200) })),
  /** Most open videos of a user, if fewer than the plan allows; null: as the plan says. */
  open_tasks: z.nullable(z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(1000, 'too_large'))),
  /** Figures of the landing page; null: those of the catalogue. */
  figures: z.nullable(Figures),
  /** Words that no prompt may contain: Latin ones as whole words, Chinese ones anywhere. */
  blocked_words: names(500, 60),
})
export type Settings = z.output<typeof Settings>
