import * as z from 'zod/mini'
import { cleanLine, MAX_TYPED } from '../../kernel/text/typedText.contract.ts'

/** The model and the provider of joined films. See docs/decisions/0081-joined-films.md. */
export const JOIN = 'join'
export const JOIN_MIN_CLIPS = 2
export const JOIN_MAX_CLIPS = 30
/** Longest joined film, seconds. */
export const JOIN_MAX_SECONDS = 300
/** Shortest part of a clip, seconds. */
export const CLIP_MIN_SECONDS = 0.5
/** Longest cross-fade, seconds. */
export const FADE_MAX_SECONDS = 2
export const JOIN_TITLE_MAX = 120

const Seconds = z.number('invalid').check(z.nonnegative('invalid'), z.maximum(3_600, 'invalid'))

/** A part of a finished video. Seconds; without `end`, up to its end. */
const JoinedClip = z.object({ id: z.uuid('unknown_task'), start: z._default(Seconds, 0), end: z.optional(Seconds) })
export const JoinBody = z.object({
  clips: z
    .array(JoinedClip)
    .check(z.minLength(JOIN_MIN_CLIPS, 'too_few_clips'), z.maxLength(JOIN_MAX_CLIPS, 'too_many_clips')),
  /** Seconds in which a clip dissolves into the next one. */
  fade: z._default(Seconds.check(z.maximum(FADE_MAX_SECONDS, 'fade_too_long')), 0),
  /** Name of the film. It is not shown in the picture. */
  title: z
    .string()
    .check(
      z.maxLength(MAX_TYPED, { error: 'title_too_long', abort: true }),
      z.overwrite(cleanLine),
      z.minLength(1, 'required'),
      z.maxLength(JOIN_TITLE_MAX, 'title_too_long'),
    ),
})
export type JoinBody = z.infer<typeof JoinBody>

/** How a film came from another one. */
export const ORIGINS = ['join', 'extend', 'again', 'remix', 'regenerate'] as const
export type OriginKind = (typeof ORIGINS)[number]

/** Returns the length of a joined film, seconds. */
export const joinedSeconds = (lengths: readonly number[], fade: number): number =>
  lengths.reduce((sum, length) => sum + length, 0) - fade * Math.max(0, lengths.length - 1)

/** Returns the longest cross-fade that clips of these lengths have room for: each may dissolve at both ends. */
export const longestFade = (lengths: readonly number[]): number =>
  Math.min(FADE_MAX_SECONDS, ...lengths.map((length) => length / 2))
