import * as z from 'zod/mini'
import { cleanAddress, cleanLine, MAX_TYPED } from '../../kernel/text/typedText.contract.ts'

const LANGUAGES = ['en', 'zh'] as const
export const Language = z.enum(LANGUAGES)
export type Language = z.infer<typeof Language>

export const PASSWORD_MIN = 8
const PASSWORD_MAX = 256
const NAME_MIN = 2
const NAME_MAX = 80

const LOCAL_PART = /^[^\s@\p{Cc}\p{Cf}\p{Cs}<>()[\],;:\\"]{1,64}$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Returns whether a text is `local@domain` with a domain of two or more labels that IDNA (UTS #46) accepts. */
function isMailAddress(text: string): boolean {
  const [local = '', domain = '', ...others] = text.split('@')
  if (others.length > 0 || !LOCAL_PART.test(local) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return false
  if (!URL.canParse(`http://${domain}`)) return false
  const labels = new URL(`http://${domain}`).hostname.split('.')
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && /[a-z]/.test(labels.at(-1) ?? '')
}

// Validation messages are stable error codes. The site translates them; the server adds an English message.
const required = z.minLength(1, { error: 'required', abort: true })
export const Email = z
  .string({ error: 'required' })
  .check(
    z.maxLength(MAX_TYPED, { error: 'invalid_email', abort: true }),
    z.overwrite(cleanAddress),
    required,
    z.maxLength(254, { error: 'invalid_email', abort: true }),
    z.refine(isMailAddress, 'invalid_email'),
    z.toLowerCase(),
  )
/** Returns the length in code points. Passwords are normalized to NFKC, so that equivalent spellings match. */
const length = (text: string) => [...text].length
export const Password = z.string({ error: 'required' }).check(
  required,
  z.maxLength(PASSWORD_MAX * 4, { error: 'password_too_long', abort: true }),
  z.normalize('NFKC'),
  z.refine((text) => length(text) >= PASSWORD_MIN, 'password_too_short'),
  z.refine((text) => length(text) <= PASSWORD_MAX, 'password_too_long'),
)
/** An existing password, to which the rules for new passwords do not apply. */
export const CurrentPassword = z
  .string({ error: 'required' })
  .check(required, z.maxLength(PASSWORD_MAX * 4, 'wrong_password'))
export const FullName = z
  .string({ error: 'required' })
  .check(
    z.maxLength(MAX_TYPED, { error: 'name_too_long', abort: true }),
    z.overwrite(cleanLine),
    required,
    z.minLength(NAME_MIN, 'name_too_short'),
    z.maxLength(NAME_MAX, 'name_too_long'),
  )
export const Token = z
  .string({ error: 'token_missing' })
  .check(z.minLength(1, 'token_missing'), z.maxLength(200, 'token_invalid'))
