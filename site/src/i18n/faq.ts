import type { MarkdownInstance } from 'astro'
import { catalogues } from './catalogue.ts'
import { type Locale, translator } from './core.ts'
import { faqFigures } from './faqFigures.ts'

export const CATEGORIES = ['basic', 'advanced', 'technical', 'subscription', 'support', 'commercial'] as const
type Category = (typeof CATEGORIES)[number]

interface Words {
  readonly question: string
  /** The meta description. */
  readonly description: string
  readonly tags: readonly string[]
}

/** Front matter that all languages share, kept in the English file. */
interface Facts {
  readonly category: Category
  /** Sort order; 1 comes first. */
  readonly priority: number
  readonly updated: string | Date
  /** Fact of the installation without which the question does not apply, such as `plans=on`. */
  readonly only?: string
}

export interface Entry extends Words, Facts {
  readonly slug: string
  /** The language of the text: English if there is no translation. */
  readonly language: Locale
  readonly html: string
  /** Date as `YYYY-MM-DD`. */
  readonly updated: string
}

type File = MarkdownInstance<Words & Facts>
const files = import.meta.glob<File>('../../../content/*/faq/*.md', { eager: true })

const inLanguage = (language: Locale) =>
  new Map(
    Object.entries(files).flatMap(([path, file]) => {
      const [, found, slug] = /\/(\w+)\/faq\/([\w-]+)\.md$/.exec(path) ?? []
      return found === language && slug ? [[slug, file] as const] : []
    }),
  )

/** Returns all questions in a language, ordered by priority. */
export async function faqEntries(locale: Locale): Promise<readonly Entry[]> {
  const translations = inLanguage(locale)
  const fill = faqFigures(locale, translator(catalogues[locale], locale))
  const entries = [...inLanguage('en')].map(async ([slug, english]): Promise<Entry> => {
    const file = translations.get(slug) ?? english
    const { question, description, tags } = file.frontmatter
    const { category, priority, updated, only } = english.frontmatter
    return {
      slug,
      language: file === english ? 'en' : locale,
      question,
      description: fill(description),
      tags,
      category,
      priority,
      updated: new Date(updated).toISOString().slice(0, 10),
      ...(only ? { only } : {}),
      html: fill(await file.compiledContent()),
    }
  })
  return (await Promise.all(entries)).toSorted((a, b) => a.priority - b.priority)
}
