import { readdirSync } from 'node:fs'
import path from 'node:path'

const DIST = path.resolve(import.meta.dirname, '../../dist')

/** The addresses of all pages that the build has made, in both languages. */
export function builtPages(): string[] {
  return readdirSync(DIST, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.html'))
    .map((file) => `/${file.replace(/(^|\/)index\.html$|\.html$/, '')}`)
    .sort()
}

/** Those that anyone may read as they are; the others need a session, a token or an address, or send on. */
export const readablePages = (): string[] =>
  builtPages().filter(
    (address) =>
      !/^(\/zh)?\/(workspace|profile|admin|payment|subscription|verify-email|reset-password|auth\/(?!login|register))/.test(
        address,
      ),
  )
