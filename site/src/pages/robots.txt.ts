import type { APIRoute } from 'astro'

/** Excludes only addresses that are not pages. Pages that must not be indexed carry a robots meta tag. */
export const GET: APIRoute = ({ site }) =>
  new Response(`User-agent: *
Disallow: /api/
Disallow: /dev/
Disallow: /admin/

Sitemap: ${new URL('/sitemap-index.xml', site).href}
`)
