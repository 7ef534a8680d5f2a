import type { MarkdownInstance } from 'astro'
import type { Locale } from '../../i18n/core.ts'
import { fileIn } from '../../media/fileIn.ts'

export const LEGAL_DOCUMENTS = ['privacy-policy', 'terms-of-service'] as const
export type LegalDocument = (typeof LEGAL_DOCUMENTS)[number]

const files = import.meta.glob<MarkdownInstance<Record<string, never>>>('../../../../content/*/legal/*.md', {
  eager: true,
})

/** Returns a document in the given language, or in English if there is no translation. */
export function legalText(document: LegalDocument, locale: Locale) {
  const pathIn = (language: Locale) => `../../../../content/${language}/legal/${document}.md`
  return files[pathIn(locale)] ?? fileIn(files, pathIn('en'))
}

/** Returns the URL path of a document's Markdown file. */
export const markdownPath = (document: LegalDocument, locale: Locale): string => `/legal/${document}-${locale}.md`
