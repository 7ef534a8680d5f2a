import { textAt } from '../i18n/client.ts'
import { ApiError } from './apiError.ts'

/** Returns the text of an error code. */
export const codeText = (code: string): string => textAt(`errors.${code}`) ?? textAt('errors.invalid_input') ?? code

/** Returns the message of a failure: the catalogue's text for its code, or the server's message. */
export function errorText(error: unknown, fallback?: string): string {
  const general = fallback ?? textAt('errors.unknown') ?? ''
  if (!(error instanceof ApiError)) return general
  const text = error.code === 'unknown' ? undefined : textAt(`errors.${error.code}`)
  return text ?? error.detail ?? general
}
