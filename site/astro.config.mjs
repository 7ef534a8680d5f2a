import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import react from '@astrojs/react'
import sitemap from '@astrojs/sitemap'
import { defineConfig } from 'astro/config'
import { islandPreloads } from './islandPreloads.mjs'
import { lateScripts } from './lateScripts.mjs'

/** The origin in the built pages; the server puts PUBLIC_URL in its place, so that moving a site needs no new build. */
const PLACEHOLDER_ORIGIN = 'https://placeholder.kinora.invalid'

const hashOf = (file) =>
  `sha256-${createHash('sha256')
    .update(readFileSync(new URL(file, import.meta.url), 'utf8'))
    .digest('base64')}`

/** What search engines are not sent to: the other address of the landing page, and what needs a session, a token or an address. */
const UNLISTED =
  /\/(home|workspace|profile|profile\/.*|admin\/.*|payment\/.*|subscription\/.*|auth\/(?!login$|register$).*|reset-password|verify-email)$/

/** Readers of any other language are sent to the English page. */
const unspecific = (links = []) =>
  links.filter(({ lang }) => lang === 'en').map(({ url }) => ({ lang: 'x-default', url }))

/**
 * What pages share, in few files: many small ones cost a reader more than the bytes that a page could do without. A file
 * holds what its modules import too, unless one before it does: open pages get by with the first, and with the second where
 * the reader is signed in.
 */
const groups = [
  { name: 'page', test: /site\/src\/(i18n|shell\/toast|lib\/language|ui\/closeIcon)/ },
  { name: 'calls', test: /node_modules\/nanostores\/|site\/src\/(lib\/(api|money|figures)|stores\/session)/ },
  { name: 'islands', test: /node_modules\/(@astrojs\/react|@nanostores\/react)\/|site\/src\/ui\/.*\.tsx/ },
]

/**
 * Vite's helper around `import()` preloads what a chunk imports, style sheets too. Here it would be a tenth of the script of
 * every page, to save signed-in readers one round trip; style sheets are within the pages.
 */
const plainImports = {
  name: 'plain-imports',
  enforce: 'pre',
  apply: 'build',
  configEnvironment: (name) =>
    name === 'client'
      ? { build: { modulePreload: false, rolldownOptions: { output: { codeSplitting: { groups } } } } }
      : undefined,
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined),
}

/** In development the API runs behind the site, on an address of its own. */
const api = { target: process.env.KINORA_API ?? 'http://127.0.0.1:3001', ws: true }

export default defineConfig({
  site: PLACEHOLDER_ORIGIN,
  trailingSlash: 'never',
  // A page is whole with its first answer: a style sheet of its own would be another round trip before anything is seen.
  build: { format: 'file', inlineStylesheets: 'always' },
  devToolbar: { enabled: false },
  // There is no code in the texts, and its colours would be inline styles.
  markdown: { syntaxHighlight: false },
  i18n: {
    defaultLocale: 'en',
    locales: ['en', { path: 'zh', codes: ['zh', 'zh-CN'] }],
    routing: { prefixDefaultLocale: false },
  },
  integrations: [
    react(),
    lateScripts(),
    islandPreloads(),
    sitemap({
      filter: (page) => !UNLISTED.test(page),
      i18n: { defaultLocale: 'en', locales: { en: 'en', zh: 'zh-CN' } },
      serialize: (page) => ({ ...page, links: [...(page.links ?? []), ...unspecific(page.links)] }),
    }),
  ],
  security: {
    csp: {
      algorithm: 'SHA-256',
      directives: [
        "default-src 'self'",
        // 'self' also covers ws and wss on the page's own host.
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "font-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
      ],
      scriptDirective: {
        hashes: [
          hashOf('./src/i18n/boot.js'),
          hashOf('./src/features/shell/fill.js'),
          hashOf('./src/features/shell/late.js'),
        ],
      },
    },
  },
  vite: {
    plugins: [plainImports],
    server: { proxy: Object.fromEntries(['/api', '/dev', '/healthz', '/readyz'].map((path) => [path, api])) },
  },
})
