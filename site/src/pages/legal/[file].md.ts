/** Serves the legal documents as Markdown files. */
import type { APIRoute } from 'astro'
import { LEGAL_DOCUMENTS, type LegalDocument, legalText } from '../../features/legal/legal.ts'
import { LOCALES, type Locale } from '../../i18n/core.ts'

interface Props {
  document: LegalDocument
  locale: Locale
}

export const getStaticPaths = () =>
  LEGAL_DOCUMENTS.flatMap((document) =>
    LOCALES.map((locale) => ({ params: { file: `${document}-${locale}` }, props: { document, locale } })),
  )

export const GET: APIRoute<Props> = ({ props: { document, locale } }) =>
  new Response(`${legalText(document, locale).rawContent().trim()}\n`)
