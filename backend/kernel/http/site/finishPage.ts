import { type Facts, forInstallation } from './forInstallation.ts'
import { extractPolicy } from './pagePolicy.ts'

/** Origin in the built pages, replaced when they are loaded because the build does not know the public URL. */
export const PLACEHOLDER_ORIGIN = 'https://placeholder.kinora.invalid'

export interface PageSettings {
  readonly publicUrl: string
  readonly facts: Facts
  /** What every page says, where the fact `notice` is on. */
  readonly notice?: Readonly<{ en: string; zh: string }> | undefined
}

/** Reads the settings, which may change while the server runs. */
export type ReadSettings = () => PageSettings | Promise<PageSettings>

interface Framing {
  /** Allows other sites to frame the page. */
  readonly isFramed?: boolean
  /** Policy that was rendered as a header instead of a `<meta>` tag. */
  readonly policy?: string
}

/** Keeps the parts of a text that apply to an installation, and fills in its public URL. */
export const fillText = (text: string, { publicUrl, facts }: PageSettings): string =>
  forInstallation(text.replaceAll(PLACEHOLDER_ORIGIN, publicUrl), facts)

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Adds the facts as `data-` attributes of `<html>`, by which style sheets and scripts know the installation. */
function withFacts(html: string, facts: Facts): string {
  const start = html.indexOf('<html')
  if (start < 0) return html
  const end = html.indexOf('>', start)
  const attributes = Object.entries(facts).map(([name, value]) => ` data-${name}="${escaped(value)}"`)
  return `${html.slice(0, end)}${attributes.join('')}${html.slice(end)}`
}

/** Fills in the notice. See docs/decisions/0097-notices-are-part-of-the-page.md. */
const withNotice = (html: string, notice: PageSettings['notice']): string =>
  html.replace('<!--notice-->', () => escaped(notice?.[html.includes('<html lang="zh') ? 'zh' : 'en'] ?? ''))

/** Returns the HTML of a filled page for an installation, and its content security policy. */
export const finishPage = (html: string, { publicUrl, facts, notice, ...framing }: PageSettings & Framing) =>
  extractPolicy(withNotice(withFacts(html, facts), notice), publicUrl, framing)
