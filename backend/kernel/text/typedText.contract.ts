import * as z from 'zod/mini'

/** Longest text that is cleaned, in UTF-16 units. Normalising a long run of combining marks takes quadratic time. */
export const MAX_TYPED = 1_000
/** Characters that show nothing and are not format characters: the Hangul and Braille blanks, and halves of surrogate pairs. */
const BLANK = /[\u115f\u1160\u2800\u3164\uffa0]|\p{Cs}/gu
/** Line and page breaks, tabs and other control characters. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** Letters that Persian, Sinhala or Mongolian join or part, and pictographs that form a family. */
const JOINABLE = String.raw`[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]`
const JOINER = String.raw`(?:\u180e|\u200c|\u200d)`
/** A joiner in its place, the region of a flag, and the signs that enclose Arabic and Syriac numbers; or another format character. */
const FORMAT = new RegExp(
  String.raw`((?<=${JOINABLE})${JOINER}(?=${JOINABLE})|\u{1f3f4}[\u{e0020}-\u{e007f}]+|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])|\p{Cf}`,
  'gu',
)

/**
 * Returns a line of text that a person typed or pasted, such as a name, without what cannot be seen: direction marks, soft
 * hyphens, control characters. Whitespace becomes single spaces.
 * @example cleanLine(' Ada\u200b\tLovelace ') // 'Ada Lovelace'
 */
export const cleanLine = (text: string): string =>
  text.normalize('NFC').replace(BREAKS, ' ').replace(FORMAT, '$1').replace(BLANK, '').replace(/\s+/gu, ' ').trim()

/** Returns the schema of a line that a person types and may not leave empty, of at most `max` characters once it is cleaned. */
export const typedLine = (max: number) =>
  z
    .string('required')
    .check(
      z.maxLength(MAX_TYPED, { error: 'too_long', abort: true }),
      z.overwrite(cleanLine),
      z.minLength(1, 'required'),
      z.maxLength(max, 'too_long'),
    )

/** Returns a text of several lines that a person typed or pasted, without what no store or engine takes: control characters and halves of surrogate pairs. */
export const cleanText = (text: string): string => text.replace(/(?![\t\n\r])\p{Cc}|\p{Cs}/gu, '')

/**
 * Returns a mail address as it was meant: in NFKC, so that full-width characters are plain, without invisible characters, and
 * without what is copied along with it (`mailto:`, angle brackets, the punctuation after it).
 * @example cleanAddress('<Ada＠example.com>,') // 'Ada@example.com'
 */
export const cleanAddress = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(BLANK, '')
    .replaceAll('。', '.')
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/^</, '')
    .replace(/[>.,;]{1,3}$/, '')
