import path from 'node:path'
import type { MarkdownInstance } from 'astro'
import { type Locale, localizedPath } from '../../i18n/core.ts'
import { fileIn } from '../../media/fileIn.ts'

/** A page of the documentation. See docs/decisions/0045-docs-in-the-site.md. */
export interface DocPage {
  readonly slug: string
  /** English address. */
  readonly path: string
  readonly title: string
  readonly description: string
  /** The language of the text. */
  readonly language: Locale
  readonly html: string
  readonly headings: readonly { readonly slug: string; readonly text: string }[]
}

type Guide = MarkdownInstance<{ title: string; description: string; order: number }>
type Reference = MarkdownInstance<Record<string, never>>

const guides = import.meta.glob<Guide>('../../../../content/*/docs/*.md', { eager: true })
const references = import.meta.glob<Reference>(
  [
    '../../../../docs/{operations,configuration,scaling,eventstoredb,auditing,ledger-archive}.md',
    '../../../../docs/operations/engines.md',
  ],
  { eager: true },
)

/** Prefix of the files' keys, which are relative to this file. */
const ROOT = '../../../../'
/** Addresses of the reference, in the order of the list. The texts are for people who run or read Kinora, in English. */
const REFERENCE: Readonly<Record<string, string>> = {
  operations: 'docs/operations.md',
  configuration: 'docs/configuration.md',
  engines: 'docs/operations/engines.md',
  scaling: 'docs/scaling.md',
  eventstoredb: 'docs/eventstoredb.md',
  auditing: 'docs/auditing.md',
  'ledger-archive': 'docs/ledger-archive.md',
}

const slugOf = (file: string) => path.posix.basename(file, '.md')

/** Returns the guides of a language in their order. */
export async function readGuides(locale: Locale): Promise<readonly DocPage[]> {
  const own = Object.entries(guides)
    .map(([key, file]) => ({ file: key.slice(ROOT.length), guide: file }))
    .filter(({ file }) => file.startsWith(`content/${locale}/`))
    .sort((a, b) => a.guide.frontmatter.order - b.guide.frontmatter.order)
  return Promise.all(
    own.map(async ({ file, guide }) => {
      const slug = slugOf(file)
      const { title, description } = guide.frontmatter
      const html = withLinks(await guide.compiledContent(), file, locale)
      return { slug, path: `/docs/${slug}`, title, description, language: locale, html, headings: headingsOf(guide) }
    }),
  )
}

/** Returns the pages of the reference. @param locale language of the pages that they link to */
export async function readReference(locale: Locale): Promise<readonly DocPage[]> {
  return Promise.all(
    Object.entries(REFERENCE).map(async ([slug, file]): Promise<DocPage> => {
      const page = fileIn(references, ROOT + file)
      const whole = await page.compiledContent()
      const title = firstElement(whole, 'h1')
      const html = withLinks(whole.replace(title, ''), file, locale)
      const description = plainText(firstElement(html, 'p')).slice(0, 160)
      const at = `/docs/reference/${slug}`
      return { slug, path: at, title: plainText(title), description, language: 'en', html, headings: headingsOf(page) }
    }),
  )
}

const headingsOf = (page: MarkdownInstance<object>) => page.getHeadings().filter(({ depth }) => depth === 2)

/** A link that is neither an address nor a path of the site. */
const FILE_LINK = /<a href="(?!https?:|#|\/)([^"#<>]+)(#[^"<>]*)?">/

/** Returns the first element of a name, with its tags; empty if there is none. */
export function firstElement(html: string, name: string): string {
  const start = html.search(new RegExp(`<${name}[ >]`))
  const end = `</${name}>`
  return start < 0 ? '' : html.slice(start, html.indexOf(end, start) + end.length)
}

/** Lets links between files lead to their pages. A link to a file that has no page becomes plain text. */
function withLinks(html: string, from: string, locale: Locale): string {
  const [last, ...parts] = html.split('</a>').toReversed()
  const linked = parts.toReversed().map((part) => {
    const [tag, target, anchor = ''] = FILE_LINK.exec(part) ?? []
    if (!tag || !target) return `${part}</a>`
    const address = addressOf(path.posix.join(path.posix.dirname(from), target))
    return address
      ? `${part.replace(tag, `<a href="${localizedPath(address, locale)}${anchor}">`)}</a>`
      : part.replace(tag, '')
  })
  return linked.join('') + last
}

function addressOf(file: string): string | undefined {
  const reference = Object.keys(REFERENCE).find((slug) => REFERENCE[slug] === file)
  if (reference) return `/docs/reference/${reference}`
  return ROOT + file in guides ? `/docs/${slugOf(file)}` : undefined
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#x27': "'" }

/** Returns the text of HTML that was made from Markdown. */
export const plainText = (html: string): string =>
  html
    .replace(/<[^<>]+>/g, ' ')
    .replace(/&(#?\w+);/g, (entity, name) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;:)])/g, '$1')
    .trim()
