import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'
import { CAMERA_MOVEMENT_VALUES } from '../catalogue/models.contract.ts'

const Titled = z.object({ en: z.string().check(z.maxLength(60)), zh: z.string().check(z.maxLength(60)) })

/** A file of `content/templates` or `DATA_DIR/templates`: a prompt with one or two slots, such as `[animal: A red fox]`. */
export const TemplateFile = z.object({
  order: z._default(z.number(), 1000),
  title: Titled,
  prompt: z.object({ en: z.string().check(z.maxLength(500)), zh: z.string().check(z.maxLength(500)) }),
  camera_movements: z._default(z.array(z.enum(CAMERA_MOVEMENT_VALUES)).check(z.maxLength(3)), []),
  /** Of the shipped clip, which the demo renderer drew. */
  seed: z.optional(z.number()),
})

const SLOT = /\[([^\][:：]{1,40})[:：]([^\][]{1,160})\]/g

/** A piece of a template's prompt: words, or a slot with its name and the words that stand in it at first. */
export type TemplatePart = Readonly<{ text: string; slot?: string }>

/** Splits the prompt of a template. @example partsOf('[pet: A cat] sleeps') // [{ slot: 'pet', text: 'A cat' }, { text: ' sleeps' }] */
export function partsOf(prompt: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const { 0: whole, 1: slot = '', 2: text = '', index } of prompt.matchAll(SLOT)) {
    parts.push({ text: prompt.slice(end, index) }, { slot: slot.trim(), text: text.trim() })
    end = index + whole.length
  }
  return [...parts, { text: prompt.slice(end) }].filter(({ text }) => text !== '')
}

export const textOf = (parts: readonly TemplatePart[]): string => parts.map(({ text }) => text).join('')

const Template = z.object({
  id: z.string(),
  title: Titled,
  /** With its slots in brackets. */
  prompt: z.object({ en: z.string(), zh: z.string() }),
  camera_movements: z.array(z.enum(CAMERA_MOVEMENT_VALUES)),
  /** Address of a short silent clip; null if there is none. */
  clip: z.nullable(z.string()),
  /** Address of its first picture. */
  still: z.nullable(z.string()),
})
export type Template = z.infer<typeof Template>

export const listTemplates = endpoint('GET /videos/templates', {
  access: 'public',
  answer: z.array(Template),
  summary: 'Prompts with slots to fill, those of this installation included',
})

export const templateClip = endpoint('GET /videos/templates/:id/clip', {
  access: 'public',
  file: 'video/mp4',
  refuses: ['not_found'],
  summary: 'The clip of a template of this installation',
})
