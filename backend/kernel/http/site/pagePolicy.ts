import { createHash } from 'node:crypto'

/** Path to which browsers send CSP violation reports. */
export const REPORTS_PATH = '/api/v1/csp-reports'

/** Content security policy of responses that are not pages; allows nothing. */
export const NO_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Policy of the service worker, which asks this server for pages. */
export const WORKER_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
  'Cache-Control': 'no-cache',
}

export const PAGE_HEADERS = {
  'Permissions-Policy':
    'accelerometer=(), autoplay=(self), camera=(), display-capture=(), fullscreen=(self), geolocation=(), gyroscope=(), ' +
    'hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  'Reporting-Endpoints': `csp="${REPORTS_PATH}"`,
}

/** Policy of the worker that reads files: it compiles the reader, which this server sends. */
export const READER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
const WASM = "'wasm-unsafe-eval'"

const META = /<meta http-equiv="content-security-policy" content="([^"]*)">/i

/** Returns the source expressions of a page's inline scripts and styles. */
function inlineHashes(html: string): Set<string> {
  const elements = html.split(/<(?=script|style)/).slice(1)
  return new Set(
    elements.map((element) => {
      const end = element.indexOf(element.startsWith('script') ? '</script' : '</style')
      const text = element.slice(element.indexOf('>') + 1, end)
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }),
  )
}

/**
 * Moves the policy that the build wrote into a page to a header value, because browsers ignore `frame-ancestors` and
 * reporting in `<meta>`; rendered pages have it in a header already. Keeps only the hashes of the page's own scripts and
 * styles. A page without a policy gets {@link NO_PAGE_POLICY}.
 */
export function extractPolicy(
  html: string,
  publicUrl: string,
  { isFramed = false, policy: header }: { isFramed?: boolean; policy?: string } = {},
): { html: string; policy: string } {
  const made = header || META.exec(html)?.[1]
  if (!made) return { html, policy: NO_PAGE_POLICY }
  const own = inlineHashes(html)
  const isOwn = (source: string) => !source.startsWith("'sha256-") || own.has(source)
  const directives = made.split(';').flatMap((directive) => directive.trim() || [])
  const policy = [
    ...directives.map((directive) => directive.split(' ').filter(isOwn).join(' ')),
    "require-trusted-types-for 'script'",
    // The page that verifies files runs its reader, which is WebAssembly, in a worker.
    `trusted-types service-worker${made.includes(WASM) ? ' verify' : ''}`,
    `frame-ancestors ${isFramed ? '*' : "'none'"}`,
    ...(publicUrl.startsWith('https://') ? ['upgrade-insecure-requests'] : []),
    `report-uri ${REPORTS_PATH}`,
    'report-to csp',
  ]
  return { html: html.replace(META, ''), policy: policy.join('; ') }
}
