/** Serves the web app manifest of each language. Both describe one app, so that a change of language keeps it installed. */
import type { APIRoute } from 'astro'
import { pageLanguage } from '../../i18n/static.ts'

export { getStaticPaths } from '../../i18n/static.ts'

const COLOUR = '#0d0b0a'
const icon = (src: string, sizes: string, purpose = 'any') => ({ src, sizes, type: 'image/png', purpose })

export const GET: APIRoute = ({ currentLocale }) => {
  const { t, lang, href } = pageLanguage({ currentLocale })
  const shortcut = (name: string, path: string) => ({ name, url: href(path) })
  return new Response(
    JSON.stringify({
      id: '/',
      lang,
      name: t('common.brand'),
      short_name: t('common.brand'),
      description: t('common.footer.description'),
      start_url: href('/'),
      scope: '/',
      display: 'standalone',
      background_color: COLOUR,
      theme_color: COLOUR,
      icons: [
        { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
        icon('/icon-192.png', '192x192'),
        icon('/icon-512.png', '512x512'),
        icon('/icon-maskable-512.png', '512x512', 'maskable'),
      ],
      shortcuts: [shortcut(t('common.nav.workspace'), '/workspace'), shortcut(t('common.nav.library'), '/library')],
    }),
  )
}
