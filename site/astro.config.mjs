import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import react from '@astrojs/react'
import sitemap from '@astrojs/sitemap'
import { defineConfig } from 'astro/config'

/** The origin in the built pages; the server puts PUBLIC_URL in its place, so that moving a site needs no new build. */
const PLACEHOLDER_ORIGIN = 'https://placeholder.kinora.invalid'

const hashOf = (file) =>
  `sha256-${createHash('sha256')
    .update(readFileSync(new URL(file, import.meta.url), 'utf8'))
    .digest('base64')}`

const unlisted = /\/(home|workspace|profile|auth\/.*|reset-password|verify-email)$/

/** In development the API runs behind the site, on an address of its own. */
const api = { target: process.env.KINORA_API ?? 'http://127.0.0.1:3001', ws: true }

export default defineConfig({
  site: PLACEHOLDER_ORIGIN,
  trailingSlash: 'never',
  build: { format: 'file' },
  devToolbar: { enabled: false },
  i18n: {
    defaultLocale: 'en',
    locales: ['en', { path: 'zh', codes: ['zh', 'zh-CN'] }],
    routing: { prefixDefaultLocale: false },
  },
  integrations: [
    react(),
    sitemap({
      filter: (page) => !unlisted.test(page),
      i18n: { defaultLocale: 'en', locales: { en: 'en', zh: 'zh-CN' } },
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
      scriptDirective: { hashes: [hashOf('./src/i18n/boot.js'), hashOf('./src/shell/fill.js')] },
    },
  },
  vite: {
    server: { proxy: Object.fromEntries(['/api', '/dev', '/healthz', '/readyz'].map((path) => [path, api])) },
  },
})
