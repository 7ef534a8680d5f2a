import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'
import { Settings } from './settings.contract.ts'

export { FIGURES, Settings } from './settings.contract.ts'

/** What pages show of the settings. Nothing that is off or unchanged is in it. */
export const Notices = z.object({
  banner: z.optional(z.object({ en: z.string(), zh: z.string() })),
  figures: z.optional(z.record(z.string(), z.string())),
  paused: z.optional(
    z.object({
      generation: z.optional(z.literal(true)),
      registration: z.optional(z.literal(true)),
      models: z.optional(z.array(z.string())),
      tills: z.optional(z.array(z.string())),
    }),
  ),
})
export type Notices = z.infer<typeof Notices>

/** Seconds for which browsers and proxies may keep the notices. */
export const NOTICES_MAX_AGE = 15

export const notices = endpoint('GET /installation', {
  access: 'public',
  answer: Notices,
  summary: 'What the operators changed: a banner, figures, and what is paused. Small, and cached for a few seconds',
})

const Change = z.object({
  at: z.string(),
  operator: z.string(),
  reason: z.string(),
  changes: z.partial(Settings),
})

const Control = z.object({
  settings: Settings,
  /** What can be paused. */
  models: z.array(z.object({ id: z.string(), names: z.object({ en: z.string(), zh: z.string() }) })),
  tills: z.array(z.string()),
  /** The latest changes, newest first. */
  changes: z.array(Change),
})
export type Control = z.infer<typeof Control>

export const readControl = endpoint('GET /desk/installation', {
  access: 'operator',
  answer: Control,
  summary: 'The settings that operators change without a rebuild, with their latest changes',
})

export const ControlChange = z.object({
  /** Kept for ever, so it must not name a person. */
  reason: typedLine(200),
  changes: z.partial(Settings),
})

export const changeControl = endpoint('POST /desk/installation', {
  access: 'operator',
  role: 'owner',
  body: ControlChange,
  answer: Control,
  refuses: ['step_up_required'],
  summary: 'Changes settings of the installation. They are in force on every process within a second',
})
