import type { APIRoute } from 'astro'

/** Everything may be read but what is no page. Pages that are not to be found say so themselves. */
export const GET: APIRoute = ({ site }) =>
  new Response(`User-agent: *
Disallow: /api/
Disallow: /dev/
Disallow: /admin/

Sitemap: ${new URL('/sitemap-index.xml', site).href}
`)
