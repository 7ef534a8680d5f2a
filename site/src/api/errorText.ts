import { textAt } from '../i18n/client.ts'
import { ApiError } from './apiError.ts'

/** The words for a rule's or a problem's code. */
export const codeText = (code: string): string => textAt(`errors.${code}`) ?? textAt('errors.invalid_input') ?? code

/** What to tell the reader about a failure: the catalogue's words for its code, else the server's sentence. */
export function errorText(error: unknown, otherwise?: string): string {
  const general = otherwise ?? textAt('errors.unknown') ?? ''
  if (!(error instanceof ApiError)) return general
  const worded = error.code === 'unknown' ? undefined : textAt(`errors.${error.code}`)
  return worded ?? error.detail ?? general
}
