import { textAt } from '../i18n/client.ts'
import { ApiError } from './apiError.ts'

/** Returns the message for an error code, or a general message if the code is unknown. */
export const codeText = (code: string): string => textAt(`errors.${code}`) ?? textAt('errors.invalid_input') ?? code

/** Returns the message for an error: the catalogue's text for its code, the server's message, or `fallback`. */
export function errorText(error: unknown, fallback?: string): string {
  const general = fallback ?? textAt('errors.unknown') ?? ''
  if (!(error instanceof ApiError)) return general
  const text = error.code === 'unknown' ? undefined : textAt(`errors.${error.code}`)
  return text ?? error.detail ?? general
}
