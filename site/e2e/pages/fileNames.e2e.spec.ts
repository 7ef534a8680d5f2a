import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { PLACEHOLDER_ORIGIN } from '../../../backend/kernel/http/site/finishPage.ts'
import { builtFiles } from '../testing/builtPages.ts'
import { describeOnSite } from '../testing/onSite.ts'

/** Ways to write the name of a file in an address. */
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `${name}/`,
  (name) => `${name}//`,
  (name) => `/${name}`,
  (name) => name.replace(/\.(?=\w+$)/, '%2e'),
  (name) => name.replace(/\/(?=[^/]+$)/, '//'),
  (name) => name.replace(/\/(?=[^/]+$)/, '/%2e/'),
  (name) => name.toUpperCase(),
  (name) => `${name}.br`,
  (name) => `${name}.gz`,
]
const PRIVATE = /^(\/zh)?\/(workspace|library|profile|admin\/dashboard(?!\/(?:login|invitation|reset)))/

describeOnSite('the files of the build', (site) => {
  it('leads no address to a file as it was built, or past a guard', async () => {
    const found: string[] = []
    const pages = builtFiles().filter((file) => file.endsWith('.html'))
    const addresses = [
      ...builtFiles(),
      ...pages.flatMap((name) => sampled(SPELLINGS, 2).map((spell) => spell(name))),
      ...pages.map((name) => name.replace('.html', '//')),
    ]
    const ask = async (address: string) => {
      const answer = await fetch(site.url + address, { redirect: 'manual' })
      const text = await answer.text()
      const isRaw = text.includes(PLACEHOLDER_ORIGIN) || /<!--(if \w+=|else|end)/.test(text)
      if (isRaw || (answer.ok && PRIVATE.test(address))) found.push(address)
    }
    while (addresses.length > 0) await Promise.all(addresses.splice(0, 20).map(ask))
    expect(pages.length).toBeGreaterThan(50)
    expect(found).toEqual([])
  })
})
