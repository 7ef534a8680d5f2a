import type { APIRoute } from 'astro'

/** Disallows the API, development and operator paths. Other pages that must not be indexed have a robots meta tag. */
export const GET: APIRoute = ({ site }) =>
  new Response(`User-agent: *
Disallow: /api/
Disallow: /dev/
Disallow: /admin/

Sitemap: ${new URL('/sitemap-index.xml', site).href}
`)
