import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import node from '@astrojs/node'
import react from '@astrojs/react'
import sitemap from '@astrojs/sitemap'
import { defineConfig } from 'astro/config'
import { islandPreloads, lateScripts } from './htmlRewrites.mjs'
import { leanContracts } from './leanContracts.mjs'

/** Origin in the built pages. The server replaces it with PUBLIC_URL, so the domain can change without a rebuild. */
const PLACEHOLDER_ORIGIN = 'https://placeholder.kinora.invalid'

/** Reads a script that pages contain, without its comments. */
const inlineScript = (file) => readFileSync(file, 'utf8').replace(/^\/\/.*\n/gm, '')

const hashOf = (file) =>
  `sha256-${createHash('sha256')
    .update(inlineScript(new URL(file, import.meta.url)))
    .digest('base64')}`

const inlineScripts = {
  name: 'inline-scripts',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('.js?raw') ? `export default ${JSON.stringify(inlineScript(id.slice(0, -'?raw'.length)))}` : undefined,
}

/** Pages left out of the sitemap: the landing page's second URL, and pages that need a session or a token. */
const UNLISTED =
  /\/(zh\/docs\/reference\/.*|home|workspace|library|film|offline|profile|profile\/.*|team\/.*|oauth\/.*|admin\/.*|payment\/.*|subscription\/.*|auth\/(?!login$|register$).*|reset-password|verify-email)$/

/** Returns the `x-default` link, which points to the English page. */
const defaultLinks = (links = []) =>
  links.filter(({ lang }) => lang === 'en').map(({ url }) => ({ lang: 'x-default', url }))

/**
 * Bundles shared modules into a few files, because many small files load slowly. A file also contains what its modules
 * import, unless an earlier file does. Public pages load `page` and, for signed-in visitors, `calls`. Forms need
 * `schemas`, those of accounts `auth`, lists and players of videos `tasks`, the operator's board and its pages the last three.
 */
const groups = [
  {
    name: 'page',
    test: /site\/src\/(api\/(pages\/restored|start\/startDraft)|i18n\/(client|core|firstCharacters|language)|ui\/(toasts\/lazyToast|closeIcon|part|keys\/typedKey|pictures\/refuseStrayFiles))\./,
  },
  {
    name: 'schemas',
    test: /node_modules\/zod\/|backend\/(accounts|kernel|tasks)\/.*\?schemas|site\/src\/api\/check\./,
    includeDependenciesRecursively: false,
  },
  {
    name: 'calls',
    test: /node_modules\/nanostores\/|backend\/(?!tasks\/camera\/)(accounts|kernel|subscriptions|tasks)\/.*contract\.ts$|site\/src\/(api\/(api|apiError|errorText|installation|once|session|taskActions)|api\/plans\/(purchase|subscription)|i18n\/(dayText|fileSize|lateTexts|money|timeAgo)|features\/dashboard\/figures|ui\/secondClicks)\./,
  },
  {
    name: 'islands',
    test: /node_modules\/(@astrojs\/react|@nanostores\/react)\/|site\/src\/ui\/((?!OwnReceipt|ReceiptLife)[^/]*\.tsx|waits\/[^/]*\.tsx|useBusy\.ts)/,
  },
  {
    name: 'auth',
    test: /site\/src\/(api\/(account|factors\/passkeys|safeNext|pages\/leaveFor|start\/(keptNext|mailedLink))|ui\/(useForm|factors\/(CodeField|PasskeyButton|SecondStep|useStepUp)|passwords\/\w+))\./,
  },
  {
    name: 'tasks',
    test: /site\/src\/(api\/(task|taskProgress|models|share|videoLabel)\b|i18n\/(lengthText|movements|taskTitle)|ui\/task\/(Placeholder|Progress|playback)|features\/workspace\/(queue|tasks)\.)/,
  },
  { name: 'players', test: /site\/src\/ui\/(plans|task)\// },
  { name: 'ledger', test: /backend\/(apiKeys|credits)\/contract\.|site\/src\/ui\/(OwnReceipt|ReceiptLife)\./ },
  { name: 'operator', test: /site\/src\/features\/dashboard\/(operator|operators\/operators)\./ },
  {
    name: 'board',
    test: /site\/src\/features\/dashboard\/(board|Panel|Time|desk\/(desk|ScrolledList)|graphs\/reasonOf|period\/DateRange)\.tsx?$/,
  },
]

/**
 * Removes Vite's preload helper around `import()`. The helper would be a tenth of every page's script and save only
 * signed-in visitors a round trip. Style sheets are inlined and need no preload.
 */
const plainImports = {
  name: 'plain-imports',
  enforce: 'pre',
  apply: 'build',
  configEnvironment: (name) =>
    name === 'client'
      ? {
          build: {
            modulePreload: false,
            rolldownOptions: { preserveEntrySignatures: 'allow-extension', output: { codeSplitting: { groups } } },
          },
        }
      : undefined,
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined),
}

/** In development, the API listens on its own port, and the site proxies requests to it. */
const api = { target: process.env.KINORA_API ?? 'http://127.0.0.1:3001', ws: true }

export default defineConfig({
  site: PLACEHOLDER_ORIGIN,
  trailingSlash: 'never',
  // Share pages are rendered on request, inside the server. All other pages are built.
  adapter: node({ mode: 'middleware' }),
  session: false,
  // A separate style sheet would cost a round trip before the first paint.
  build: { format: 'file', inlineStylesheets: 'always' },
  devToolbar: { enabled: false },
  // The texts contain no code, and highlighting would add inline styles, which the content security policy forbids.
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
      serialize: (page) => ({ ...page, links: [...(page.links ?? []), ...defaultLinks(page.links)] }),
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
          hashOf('./src/features/shell/visits.js'),
          hashOf('./src/features/shell/ask.js'),
          hashOf('./src/features/shell/early.js'),
          hashOf('./src/features/shell/fill.js'),
          hashOf('./src/features/shell/late.js'),
        ],
      },
    },
  },
  vite: {
    plugins: [inlineScripts, plainImports, leanContracts()],
    worker: { format: 'es' },
    server: { proxy: Object.fromEntries(['/api', '/dev', '/healthz', '/readyz'].map((path) => [path, api])) },
  },
})
