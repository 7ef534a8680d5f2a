import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const DIST = path.resolve(import.meta.dirname, '../../dist/client')

/** Returns the names of all built files, each after a slash. */
export const builtFiles = (): string[] =>
  readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${path.relative(DIST, path.join(parentPath, name))}`)

/** Returns the URL paths of all built pages, in both languages. */
export const builtPages = (): string[] =>
  builtFiles()
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.replace(/(?<=\/)index\.html$|\.html$/, ''))
    .sort()

/** Returns the file of a built page. */
export const builtFile = (address: string): string =>
  [`${address}.html`, `${address}/index.html`].map((file) => path.join(DIST, file)).find((file) => existsSync(file))!

/** Returns the pages that need neither a session nor a token and do not redirect. */
export const readablePages = (): string[] =>
  builtPages().filter(
    (address) =>
      !/^(\/zh)?\/(workspace|library|profile|admin|payment|subscription|verify-email|reset-password|auth\/(?!login|register))/.test(
        address,
      ),
  )
