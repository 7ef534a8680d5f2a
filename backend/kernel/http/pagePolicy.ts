/** Where browsers send what a page tried against its policy. */
export const REPORTS_PATH = '/api/v1/csp-reports'

/** What may be done with an answer that is no page, should a browser show it: nothing. */
export const NO_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What only a page can do or say. */
export const PAGE_HEADERS = {
  'Permissions-Policy':
    'accelerometer=(), autoplay=(self), camera=(), display-capture=(), fullscreen=(self), geolocation=(), gyroscope=(), ' +
    'hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  'Reporting-Endpoints': `csp="${REPORTS_PATH}"`,
}

const META = /<meta http-equiv="content-security-policy" content="([^"]*)">/i

/**
 * Takes the policy that the build has made of a page's hashes out of its HTML, to be sent as a header: only there do
 * `frame-ancestors` and reports count. A page without one gets the policy that allows nothing.
 */
export function extractPolicy(html: string, publicUrl: string): { html: string; policy: string } {
  const made = META.exec(html)?.[1]
  if (made === undefined) return { html, policy: NO_PAGE_POLICY }
  const policy = [
    ...made.split(';').flatMap((directive) => directive.trim() || []),
    "frame-ancestors 'none'",
    ...(publicUrl.startsWith('https://') ? ['upgrade-insecure-requests'] : []),
    `report-uri ${REPORTS_PATH}`,
    'report-to csp',
  ]
  return { html: html.replace(META, ''), policy: policy.join('; ') }
}
