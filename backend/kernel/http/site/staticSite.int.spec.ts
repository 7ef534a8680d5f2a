import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import Koa from 'koa'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCookies } from '../../../accounts/sessions/cookies.ts'
import { pageGuard } from '../../../accounts/sessions/pageGuard.ts'
import { Rejection } from '../../eventsourcing/pure/decider.ts'
import { problemDetails } from '../problemDetails.ts'
import { PLACEHOLDER_ORIGIN } from './finishPage.ts'
import { serveSite } from './staticSite.ts'

const dist = mkdtempSync(path.join(os.tmpdir(), 'kinora-dist-'))
const page = (title: string) => `<link rel="canonical" href="${PLACEHOLDER_ORIGIN}/"><title>${title}</title>`
const SCRIPT = 'start()'
const OWN = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`
const facts: Record<string, string> = { plans: 'off' }
const notice = { en: 'We move on <b>Sunday.', zh: '周日迁移。' }
let server: Server
let url: string

beforeAll(async () => {
  for (const folder of ['_astro', 'auth', 'zh/auth']) mkdirSync(path.join(dist, folder), { recursive: true })
  const files = { 'index.html': 'home', 'zh.html': '首页', 'workspace.html': 'work', 'zh/workspace.html': '创作台' }
  for (const [file, title] of Object.entries(files)) writeFileSync(path.join(dist, file), page(title))
  const made = `<meta http-equiv="content-security-policy" content="default-src 'self'; script-src 'sha256-abc=' ${OWN};">`
  writeFileSync(path.join(dist, 'faq.html'), `${made}<title>faq</title><script type="module">${SCRIPT}</script>`)
  writeFileSync(path.join(dist, 'parts.html'), '<html lang="en"><!--if plans=off-->free<!--else-->paid<!--end-->')
  for (const [file, language] of Object.entries({ 'notice.html': 'en', 'zh/notice.html': 'zh-CN' }))
    writeFileSync(path.join(dist, file), `<html lang="${language}"><!--if notice=on--><p><!--notice--></p><!--end-->`)
  writeFileSync(path.join(dist, 'plans.html'), '<html><!--if plans=on--><!--else--><!--gone--><!--end-->')
  const locations = ['/parts', '/plans', '/faq'].map((at) => `<url><loc>${PLACEHOLDER_ORIGIN}${at}</loc></url>`)
  writeFileSync(path.join(dist, 'sitemap.xml'), `<urlset>${locations.join('')}</urlset>`)
  mkdirSync(path.join(dist, 'legal'))
  writeFileSync(path.join(dist, 'legal/privacy-policy-en.md'), '# Privacy')
  writeFileSync(path.join(dist, 'workspace.html.br'), brotliCompressSync(page('work')))
  writeFileSync(path.join(dist, '_astro/app.abc.js'), 'export {}')
  writeFileSync(path.join(dist, '_astro/app.abc.js.br'), brotliCompressSync('export {}'))
  const app = new Koa()
  app.use(problemDetails(pino({ level: 'silent' }))).use(pageGuard(createCookies(false)))
  app.use(serveSite(dist, async () => ({ publicUrl: 'https://kinora.test', facts, notice })))
  app.use(() => {
    throw new Rejection('not_found', 'There is nothing here.')
  })
  server = await new Promise<Server>((resolve) => {
    const listening: Server = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(dist, { recursive: true })
})

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(url + address, { redirect: 'manual', headers })
const movedTo = async (address: string, headers = {}) => {
  const { status, headers: answer } = await get(address, headers)
  return [status, answer.get('location')]
}

describe('the static site', () => {
  it('serves pages without extension, with the public URL in place of the placeholder', async () => {
    const home = await get('/')
    expect([home.status, await home.text()]).toEqual([
      200,
      '<link rel="canonical" href="https://kinora.test/"><title>home</title>',
    ])
    expect(await (await get('/zh')).text()).toContain('首页')
    expect((await get('/zh/')).status).toBe(200)
  })

  it('serves what applies to the installation, and no page that does not', async () => {
    expect(await (await get('/parts')).text()).toBe('<html lang="en" data-plans="off">free')
    expect(await movedTo('/plans')).toEqual([302, expect.stringMatching(/\/$/)])
    expect(await (await get('/sitemap.xml')).text()).toBe(
      '<urlset><url><loc>https://kinora.test/parts</loc></url><url><loc>https://kinora.test/faq</loc></url></urlset>',
    )
  })

  it('fills in what every page says, in its language', async () => {
    const text = async (address: string) => (await get(address)).text()
    expect(await text('/notice')).not.toContain('<p>')
    facts.notice = 'on'
    expect(await text('/notice')).toContain('<p>We move on &lt;b>Sunday.</p>')
    expect(await text('/zh/notice')).toContain('<p>周日迁移。</p>')
    delete facts.notice
  })

  it.each(['bytes=5-2', 'bytes=-3', 'bytes=0-0', 'bytes=x', 'bytes=0-1,3-4'])(
    'sends the whole asset for the range %s',
    async (range) => {
      const answer = await fetch(`${url}/_astro/app.abc.js`, {
        headers: { range, 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(5_000),
      })
      expect([answer.status, await answer.text()]).toEqual([200, 'export {}'])
    },
  )

  it('sends the range of an asset that was asked for', async () => {
    const bytes = async (range: string) => {
      const answer = await get('/_astro/app.abc.js', { range, 'accept-encoding': 'identity' })
      return [answer.status, await answer.text(), answer.headers.get('content-range')]
    }
    expect(await bytes('bytes=0-1')).toEqual([206, 'ex', 'bytes 0-1/9'])
    expect(await bytes('bytes=7-')).toEqual([206, '{}', 'bytes 7-8/9'])
    expect((await bytes('bytes=9-'))[0]).toBe(416)
  })

  it('sends the whole asset for a range of another version', async () => {
    const answer = await get('/_astro/app.abc.js', {
      range: 'bytes=0-1',
      'if-range': '"other"',
      'accept-encoding': 'identity',
    })
    expect([answer.status, await answer.text()]).toEqual([200, 'export {}'])
  })

  it('sends no encoding that the client refuses', async () => {
    const encoding = async (accepted: string) =>
      (await get('/_astro/app.abc.js', { 'accept-encoding': accepted })).headers.get('content-encoding')
    expect(await encoding('gzip, br')).toBe('br')
    expect(await encoding('br;q=0, identity')).toBeNull()
  })

  it('keeps running when an asset is gone, such as after another build', async () => {
    const file = path.join(dist, '_astro/gone.js')
    writeFileSync(file, 'export {}')
    const app = new Koa().use(serveSite(dist, () => ({ publicUrl: url, facts })))
    const other = app.listen(0, '127.0.0.1')
    await once(other, 'listening')
    rmSync(file)
    const { port } = other.address() as AddressInfo
    await expect(fetch(`http://127.0.0.1:${port}/_astro/gone.js`)).rejects.toThrow('fetch failed')
    expect((await fetch(`http://127.0.0.1:${port}/_astro/app.abc.js`)).status).toBe(200)
    other.close()
  })

  it('ends the request of a client that left before its asset was sent', async () => {
    const left = new AbortController()
    let isOver = false
    const app = new Koa()
    app.use(async (ctx, next) => {
      left.abort()
      await once(ctx.res, 'close')
      await next()
      isOver = true
    })
    app.use(serveSite(dist, () => ({ publicUrl: url, facts })))
    const other = app.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await fetch(`http://127.0.0.1:${port}/_astro/app.abc.js`, { signal: left.signal }).catch(() => {})
    await expect.poll(() => isOver, { timeout: 3_000 }).toBe(true)
    other.close()
  })

  it('leaves the event loop to others while it reads its pages', async () => {
    const large = mkdtempSync(path.join(os.tmpdir(), 'kinora-dist-'))
    // Most of its time goes into the hash of the finished page.
    const text = `<html>${'free '.repeat(400_000)}`
    for (let n = 0; n < 30; n++) writeFileSync(path.join(large, `${n}.html`), text)
    const app = new Koa().use(serveSite(large, () => ({ publicUrl: url, facts })))
    const other = app.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const begun = performance.now()
    const [turns, reading] = [[begun], fetch(`http://127.0.0.1:${(other.address() as AddressInfo).port}/7`)]
    let status = 0
    void reading.then((answer) => {
      status = answer.status
    })
    while (!status) turns.push(await setImmediate(performance.now()))
    const longest = Math.max(...turns.slice(1).map((at, n) => at - turns[n]!))
    expect(status).toBe(200)
    expect(longest).toBeLessThan((performance.now() - begun) / 4)
    other.close()
    rmSync(large, { recursive: true })
  })

  it('serves what applies after a fact has changed', async () => {
    facts.plans = 'on'
    expect(await (await get('/parts')).text()).toBe('<html lang="en" data-plans="on">paid')
    facts.plans = 'off'
  })

  it('compresses pages and answers 304 to a matching ETag', async () => {
    const home = await get('/', { 'accept-encoding': 'br' })
    expect(home.headers.get('content-encoding')).toBe('br')
    // fetch sends no-cache by default.
    const again = await get('/', { 'if-none-match': home.headers.get('etag')!, 'cache-control': 'max-age=0' })
    expect(again.status).toBe(304)
  })

  it('sends a weak ETag, since the encodings of a page share it', async () => {
    const etagOf = async (encoding: string) => (await get('/', { 'accept-encoding': encoding })).headers.get('etag')!
    const plain = await etagOf('identity')
    expect(plain).toMatch(/^W\//)
    expect(await etagOf('br')).toBe(plain)
    // Earlier versions sent a strong one.
    const stored = { 'if-none-match': plain.replace('W/', ''), 'cache-control': 'max-age=0' }
    expect((await get('/', stored)).status).toBe(304)
  })

  it('sends the policy of the build as a header, with the hashes of the page and the directives that need a header', async () => {
    const faq = await get('/faq')
    expect(await faq.text()).toMatch(/^<title>faq<\/title>/)
    expect(faq.headers.get('content-security-policy')).toBe(
      `default-src 'self'; script-src ${OWN}; require-trusted-types-for 'script'; trusted-types service-worker; ` +
        "frame-ancestors 'none'; upgrade-insecure-requests; " +
        'report-uri /api/v1/csp-reports; report-to csp',
    )
    expect(faq.headers.get('permissions-policy')).toContain('camera=()')
    expect(faq.headers.get('reporting-endpoints')).toBe('csp="/api/v1/csp-reports"')
    expect((await get('/')).headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
  })

  it('serves the legal texts as markdown', async () => {
    const text = await get('/legal/privacy-policy-en.md')
    expect([text.status, text.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  })

  it('caches hashed assets as immutable', async () => {
    const asset = await get('/_astro/app.abc.js')
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  })

  it('sends the validator and the caching of an asset with its 304 too', async () => {
    const asset = await get('/_astro/app.abc.js')
    const stored = { 'if-none-match': asset.headers.get('etag')!, 'cache-control': 'max-age=0' }
    const again = await get('/_astro/app.abc.js', {
      ...stored,
      'accept-encoding': asset.headers.get('content-encoding')!,
    })
    expect([again.status, asset.headers.get('vary')]).toEqual([304, 'Accept-Encoding'])
    for (const name of ['etag', 'cache-control', 'vary']) expect(again.headers.get(name)).toBe(asset.headers.get(name))
  })

  it('redirects unknown paths to the landing page of their language', async () => {
    expect(await movedTo('/nowhere')).toEqual([302, '/'])
    expect(await movedTo('/zh/nowhere')).toEqual([302, '/zh'])
    expect(await movedTo('/zhejiang')).toEqual([302, '/'])
  })

  it.each([
    '/api/v1/nowhere',
    '/_astro/gone.js',
    '/legal/nothing.md',
    '/dev/nothing',
    '/favicon.gif',
    '/../../etc/passwd.txt',
  ])('answers 404 for %s', async (address) => {
    const answer = await get(address)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found'])
  })

  it.each([
    '/index.html',
    '/zh.html',
    '/workspace.html',
    '/workspace.html.br',
    '/workspace.html.gz',
    '/workspace%2ehtml',
    '/workspace.html/',
    '/workspace.html%2f',
    '//workspace.html',
    '/zh//workspace.html',
    '/./workspace.html',
    '/WORKSPACE.HTML',
    '/_astro/app.abc.js.br',
  ])('serves no file of a page and no compressed copy as %s', async (address) => {
    const answer = await get(address, { 'accept-encoding': 'br, gzip' })
    const text = await answer.text()
    expect(text).not.toContain(PLACEHOLDER_ORIGIN)
    expect(answer.headers.get('cache-control') ?? '').not.toMatch(/public/)
    expect([302, 404]).toContain(answer.status)
  })

  it.each(['/workspace//', '/zh/workspace///', '/profile/security//'])(
    'guards %s as the page it is',
    async (address) => {
      expect(await movedTo(address)).toEqual([302, expect.stringContaining('/auth/login?next=')])
    },
  )

  it('redirects signed-out visitors to the login page', async () => {
    expect(await movedTo('/workspace')).toEqual([302, '/auth/login?next=%2Fworkspace'])
    expect(await movedTo('/profile/invoice?id=1')).toEqual([302, '/auth/login?next=%2Fprofile%2Finvoice%3Fid%3D1'])
    expect(await movedTo('/zh/profile/security')).toEqual([302, '/zh/auth/login?next=%2Fzh%2Fprofile%2Fsecurity'])
    expect(await movedTo('/zh/workspace?a=1')).toEqual([302, '/zh/auth/login?next=%2Fzh%2Fworkspace%3Fa%3D1'])
    expect((await get('/workspace', { cookie: 'kinora_refresh=any' })).status).toBe(200)
  })
})
