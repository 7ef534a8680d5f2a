import { loadImage } from '@napi-rs/canvas'
import { expect, it } from 'vitest'
import { builtPages } from './testing/builtPages.ts'
import { describeOnSite } from './testing/onSite.ts'

/** The metadata in a page's head. */
interface Head {
  readonly address: string
  readonly html: string
  readonly title: string
  readonly description: string | undefined
  readonly canonical: string | undefined
  readonly alternates: Readonly<Record<string, string>>
  readonly property: (name: string) => string | undefined
}

const unescaped = (text: string | undefined) =>
  text?.replace(
    /&(amp|quot|#39|#34|#38);/g,
    (_, name) => ({ amp: '&', '#38': '&', quot: '"', '#34': '"', '#39': "'" })[name as string]!,
  )

async function headOf(url: string, address: string): Promise<Head> {
  const answer = await fetch(url + address)
  expect([address, answer.status]).toEqual([address, 200])
  const html = await answer.text()
  const one = (pattern: RegExp) => unescaped(pattern.exec(html)?.[1])
  const links = [...html.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)]
  return {
    address,
    html,
    title: one(/<title>([^<]*)<\/title>/) ?? '',
    description: one(/<meta name="description" content="([^"]*)"/),
    canonical: one(/<link rel="canonical" href="([^"]+)"/),
    alternates: Object.fromEntries(links.map(([, language, href]) => [language!, href!])),
    property: (name) => one(new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`)),
  }
}

/** Languages of a page's links to its translations: the reference of the docs is in English only. */
const languagesOf = (address: string) =>
  address.startsWith('/docs/reference/') ? ['en', 'x-default'] : ['en', 'x-default', 'zh-CN']
const isChinese = (address: string) => /^\/zh(\/|$)/.test(address)
const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)
const linkedData = ({ html }: Head) =>
  [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, json]) => JSON.parse(json!))

describeOnSite('the metadata for search engines', (site) => {
  let heads: Head[]
  /** The indexed pages, whose canonical address is their own. */
  const listed = () => heads.filter(({ address, canonical }) => canonical === site.url + address.replace(/^\/$/, '/'))

  it('gives every page a title and its robots or canonical tags', async () => {
    heads = await Promise.all(builtPages().map((address) => headOf(site.url, address)))
    for (const { address, html, title, canonical, property } of heads) {
      expect([address, html.match(/<h1[ >]/g)?.length ?? 0]).toEqual([
        address,
        /client="only"/.test(html) ? expect.any(Number) : 1,
      ])
      expect(html).toContain(`<html lang="${isChinese(address) ? 'zh-CN' : 'en'}"`)
      expect(html).not.toContain('placeholder.kinora.invalid')
      expect([address, title]).toEqual([address, expect.stringMatching(/Kinora/)])
      expect([address, property('og:title'), property('twitter:card')]).toEqual([address, title, 'summary_large_image'])
      if (!html.includes('<meta name="robots" content="noindex"')) expect(canonical).toMatch(site.url)
    }
    const addresses = listed().map(({ address }) => address)
    expect(addresses).toEqual(
      expect.arrayContaining([
        '/',
        '/zh',
        '/faq',
        '/zh/faq/plans',
        '/privacy',
        '/zh/terms',
        '/auth/login',
        '/zh/auth/register',
      ]),
    )
    expect(
      addresses.filter((address) => /workspace|profile|home|verify-email|film|oauth|reset|pending/.test(address)),
    ).toEqual([])
  })

  it('has unique titles, and unique descriptions of a useful length', () => {
    expect(repeated(listed().map(({ title }) => title))).toEqual([])
    expect(repeated(listed().map(({ description }) => description ?? ''))).toEqual([])
    for (const { address, description = '', property } of listed()) {
      // A Chinese character carries as much as two or three letters.
      const [least, most] = isChinese(address) ? [25, 100] : [50, 160]
      expect([address, description, description.length >= least && description.length <= most]).toEqual([
        address,
        description,
        true,
      ])
      expect(property('og:description')).toBe(description)
    }
  })

  it('mentions the two free generations', () => {
    const pages = ['/', '/workspace', '/auth/login', '/auth/register', '/privacy', '/terms', '/faq']
    for (const address of pages.flatMap((path) => [path, path === '/' ? '/zh' : `/zh${path}`])) {
      const { description } = heads.find((head) => head.address === address)!
      expect([address, description]).toEqual([
        address,
        expect.stringMatching(isChinese(address) ? /免费生成 2 个视频/ : /2 free generations/),
      ])
    }
  })

  it('links each page to its translation and back', () => {
    for (const { address, canonical, alternates, property } of listed()) {
      expect([address, Object.keys(alternates).sort()]).toEqual([address, languagesOf(address)])
      expect(alternates['x-default']).toBe(alternates.en)
      expect(alternates[isChinese(address) ? 'zh-CN' : 'en']).toBe(canonical)
      expect(property('og:url')).toBe(canonical)
      for (const target of Object.values(alternates)) {
        const other = listed().find((head) => head.canonical === target)
        expect([address, target, other?.alternates]).toEqual([address, target, alternates])
      }
    }
  })

  it('provides preview images for shared links, and icons', async () => {
    const pictures = new Set(heads.map(({ property }) => property('og:image')!))
    for (const name of ['home', 'faq', 'privacy', 'terms'])
      for (const language of ['en', 'zh']) expect([...pictures]).toContain(`${site.url}/og/${name}-${language}.jpg`)
    for (const picture of pictures) {
      const answer = await fetch(picture)
      expect([picture, answer.status, answer.headers.get('content-type')]).toEqual([picture, 200, 'image/jpeg'])
      const { width, height } = await loadImage(Buffer.from(await answer.arrayBuffer()))
      expect([picture, width, height]).toEqual([picture, 1200, 630])
    }
    const icons = new Set(
      heads.flatMap(({ html }) =>
        [...html.matchAll(/<link rel="(?:icon|apple-touch-icon|manifest)" href="([^"]+)"/g)].map(([, href]) => href!),
      ),
    )
    expect([...icons].sort()).toEqual([
      '/apple-touch-icon.png',
      '/favicon.svg',
      '/manifest.webmanifest',
      '/zh/manifest.webmanifest',
    ])
    for (const icon of icons) expect([icon, (await fetch(site.url + icon)).status]).toEqual([icon, 200])
  })

  it('describes the FAQ and its breadcrumbs as structured data', () => {
    for (const language of ['', '/zh']) {
      const faq = heads.find(({ address }) => address === `${language}/faq`)!
      const questions = linkedData(faq).find((data) => data['@type'] === 'FAQPage').mainEntity
      expect(questions).toHaveLength(10)
      for (const { name, acceptedAnswer } of questions)
        expect(faq.html.includes(name) && acceptedAnswer.text.length > 100).toBe(true)
      const crumbs = linkedData(heads.find(({ address }) => address === `${language}/faq/plans`)!)[0]
      expect(crumbs['@type']).toBe('BreadcrumbList')
      expect(crumbs.itemListElement.map(({ item }: { item: string }) => item)).toEqual(
        [language || '/', `${language}/faq`, `${language}/faq/plans`].map((path) => site.url + path),
      )
    }
  })

  it('lists the pages in the sitemap named by robots.txt', async () => {
    const robots = await (await fetch(`${site.url}/robots.txt`)).text()
    expect(robots).toContain(`Sitemap: ${site.url}/sitemap-index.xml`)
    const index = await (await fetch(`${site.url}/sitemap-index.xml`)).text()
    const maps = [...index.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, map]) => map!)
    const entries = (await Promise.all(maps.map(async (map) => (await fetch(map)).text())))
      .join('')
      .split('<url>')
      .slice(1)
    const locations = entries.map((entry) => /<loc>([^<]+)<\/loc>/.exec(entry)![1]!)
    expect(locations.toSorted()).toEqual(
      listed()
        .map(({ canonical }) => canonical!)
        .sort(),
    )
    for (const [at, entry] of entries.entries()) {
      const languages = [...entry.matchAll(/hreflang="([^"]+)"/g)].map(([, language]) => language).sort()
      // The sitemap lists languages only where there are several.
      const expected = languagesOf(new URL(locations[at]!).pathname)
      expect(languages).toEqual(expected.length > 2 ? expected : [])
    }
  })
})
