import Router from '@koa/router'

interface SecurityTxt {
  readonly publicUrl: () => string
  /** Address for reports; empty if there is none. */
  readonly supportEmail: string
}

/** RFC 9116 recommends less than a year, so that readers do not trust an abandoned file. */
const LIFETIME_MS = 180 * 24 * 3_600_000

/** Serves `/.well-known/security.txt` (RFC 9116), which tells researchers where to report a vulnerability. */
export function securityTxt({ publicUrl, supportEmail }: SecurityTxt): Router {
  const router = new Router()
  router.get('/.well-known/security.txt', (ctx) => {
    const contact = supportEmail ? `mailto:${encodeURI(supportEmail)}` : `${publicUrl()}/`
    ctx.type = 'text/plain; charset=utf-8'
    ctx.set('Cache-Control', 'public, max-age=86400')
    ctx.body = [
      `Contact: ${contact}`,
      `Expires: ${new Date(Date.now() + LIFETIME_MS).toISOString()}`,
      'Preferred-Languages: en, zh',
      `Canonical: ${publicUrl()}/.well-known/security.txt`,
      '',
    ].join('\n')
  })
  return router
}
