import type { APIRoute } from 'astro'
import { firstElement, plainText, readGuides, readReference } from '../../features/docs/docPages.ts'
import type { Section } from '../../features/docs/searchDocs.ts'
import { LOCALES, type Locale, localizedPath } from '../../i18n/core.ts'

export const getStaticPaths = () =>
  LOCALES.map((locale) => ({ params: { file: `index-${locale}` }, props: { locale } }))

/** The index of the search: every section of the documentation in a language, and of the reference. */
export const GET: APIRoute<{ locale: Locale }> = async ({ props: { locale } }) => {
  const pages = [...(await readGuides(locale)), ...(await readReference(locale))]
  const sections = pages.flatMap(({ title, path, html }): Section[] => {
    const [opening = '', ...rest] = html.split(/(?=<h[23] )/)
    const to = localizedPath(path, locale)
    return [
      { page: title, heading: title, to, text: plainText(opening) },
      ...rest.map((part) => {
        const heading = firstElement(part, part.slice(1, 3))
        const [, id] = / id="([^"]+)"/.exec(heading) ?? []
        return {
          page: title,
          heading: plainText(heading),
          to: `${to}#${id}`,
          text: plainText(part.slice(heading.length)),
        }
      }),
    ]
  })
  return new Response(JSON.stringify(sections), { headers: { 'Content-Type': 'application/json' } })
}
