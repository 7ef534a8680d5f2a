import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Context, Middleware } from 'koa'
import sirv from 'sirv'
import { fillText, finishPage, type PageSettings, type ReadSettings } from './finishPage.ts'
import { pagePath } from './pagePath.ts'
import { PAGE_HEADERS, READER_POLICY, WORKER_HEADERS } from './pagePolicy.ts'

/** Excludes a page from an installation to which it does not apply. */
const GONE = '<!--gone-->'

const TEXT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

interface Page {
  readonly type: string
  readonly plain: Buffer
  /** Compressed on first request, because compressing every page at startup takes too long. */
  brotli?: Promise<Buffer>
  /** Weak, because all encodings of the page share it (RFC 9110, section 8.8.3). */
  readonly etag: string
  /** Content security policy; undefined for files other than HTML. */
  readonly policy: string | undefined
}

const compress = (bytes: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })

/**
 * Reads the built pages into memory by URL path, with the parts that apply to this installation, and replaces the
 * placeholder origin with the public URL. All of it takes a tenth of a second, so each page has a turn of the event loop.
 */
async function loadPages(dist: string, settings: PageSettings): Promise<Map<string, Page>> {
  const { publicUrl } = settings
  const files: { file: string; type: string; text: string }[] = []
  for await (const { text, ...rest } of readTexts(dist)) files.push({ ...rest, text: fillText(text, settings) })
  const gone = files.filter(({ text }) => text.includes(GONE)).map(({ file }) => publicUrl + pathOf(file))
  const pages = new Map<string, Page>()
  for (const { file, type, text } of files) {
    await nextTurn()
    const url = pathOf(file)
    if (gone.includes(publicUrl + url)) continue
    const { html, policy } = file.endsWith('.html')
      ? finishPage(text, settings)
      : { html: file.endsWith('.xml') ? withoutPages(text, gone) : text, policy: undefined }
    const plain = Buffer.from(html)
    const etag = `W/"${createHash('sha256').update(`${html}${policy}`).digest('base64url').slice(0, 22)}"`
    pages.set(url, { type, plain, etag, policy })
  }
  return pages
}

/** Yields the text files of a folder by their path in it. */
async function* readTexts(dist: string) {
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const type = TEXT_TYPES[path.extname(entry.name)]
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile() && type) yield { file: path.relative(dist, file), type, text: await readFile(file, 'utf8') }
  }
}

/**
 * Returns the URL paths of the files that are served as they are. The other files are the pages, which have another address,
 * and precompressed copies.
 */
function assetPaths(dist: string): Set<string> {
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
  const isAsset = (file: string) => !(path.extname(file) in TEXT_TYPES) && !/\.(br|gz)$/.test(file)
  return new Set(names.filter(isAsset).map((file) => urlOf(path.relative(dist, file))))
}

/** Removes pages from a sitemap. */
const withoutPages = (sitemap: string, urls: readonly string[]) =>
  sitemap
    .split(/(?=<url>)|(?<=<\/url>)/)
    .filter((entry) => !urls.some((url) => entry.startsWith(`<url><loc>${url}</loc>`)))
    .join('')

const urlOf = (file: string) => `/${file.split(path.sep).join('/')}`
const pathOf = (file: string) => urlOf(file).replace(/(\/index)?\.html$/, '') || '/'

/** Unknown paths that get a 404 instead of a redirect. */
const NO_REDIRECT = /^\/(api|_astro|legal|dev|webhooks)(\/|$)|\.[a-z0-9]+$/i

/**
 * Removes what sirv misreads: encodings with a weight of 0, and ranges other than one with a valid first and last byte. It
 * does not know conditional ranges either. Without a range, it sends the whole file, as RFC 9110 allows.
 */
function normalizeRequest(ctx: Context): void {
  const { headers } = ctx.req
  headers['accept-encoding'] = ['br', 'gzip'].filter((encoding) => ctx.acceptsEncodings(encoding)).join()
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const isRange = first !== undefined && (last === '' || (Number(last) > 0 && Number(last) >= Number(first)))
  if (!isRange || headers['if-range'] !== undefined) delete headers.range
}

function setAssetHeaders(res: ServerResponse, file: string): void {
  const forever = file.startsWith('/_astro/')
  res.setHeader('Cache-Control', forever ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
  if (/^\/_astro\/reader\.worker-[\w-]+\.js$/.test(file)) res.setHeader('Content-Security-Policy', READER_POLICY)
  if (file === '/sw.js') for (const [name, value] of Object.entries(WORKER_HEADERS)) res.setHeader(name, value)
}

/** Adds the headers to a 304 of sirv that it sends with the file, as RFC 9110, section 15.4.5, requires. */
function completeNotModified(ctx: Context): void {
  ctx.vary('Accept-Encoding')
  const writeHead = ctx.res.writeHead.bind(ctx.res)
  ctx.res.writeHead = ((status: number, headers: OutgoingHttpHeaders) => {
    if (status === 304) {
      setAssetHeaders(ctx.res, ctx.path)
      // sirv compares the two as they are.
      ctx.res.setHeader('ETag', ctx.get('If-None-Match'))
    }
    return writeHead(status, headers)
  }) as typeof writeHead
}

/**
 * Serves the built site: pages from memory, assets from the folder. Unknown paths redirect to the landing page.
 * See docs/decisions/0011-static-site-strict-policy.md.
 * @example app.use(serveSite('site/dist/client', () => ({ publicUrl, facts: {} })))
 */
export function serveSite(dist: string, settings: ReadSettings): Middleware {
  if (!existsSync(dist)) throw new Error(`The site is not built: ${dist} does not exist (npm run build)`)
  let loaded: { readonly key: string; readonly pages: Promise<Map<string, Page>> } | undefined
  const assets = assetPaths(dist)
  const sendAsset = sirv(dist, {
    etag: true,
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: setAssetHeaders,
  })

  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    // Such as the models on offer.
    const current = await settings()
    const key = JSON.stringify(current)
    if (key !== loaded?.key) loaded = { key, pages: loadPages(dist, current) }
    const pages = await loaded.pages.catch((error) => {
      loaded = undefined
      throw error
    })
    const page = pages.get(pagePath(ctx.path))
    if (page) {
      ctx.type = page.type
      if (page.policy) ctx.set({ ...PAGE_HEADERS, 'Content-Security-Policy': page.policy })
      ctx.set({ ETag: page.etag, 'Cache-Control': 'public, max-age=0, must-revalidate', Vary: 'Accept-Encoding' })
      ctx.status = 200
      if (ctx.fresh) {
        ctx.status = 304
        return
      }
      ctx.body = page.plain
      if (ctx.acceptsEncodings('br', 'identity') === 'br') {
        page.brotli ??= compress(page.plain)
        ctx.body = await page.brotli
        ctx.set('Content-Encoding', 'br')
      }
      return
    }
    if (assets.has(ctx.path)) {
      normalizeRequest(ctx)
      completeNotModified(ctx)
      ctx.respond = false
      await new Promise<void>((resolve, reject) => {
        // A response that was closed earlier emits no further event.
        if (ctx.res.destroyed) return resolve()
        ctx.res.statusCode = 200
        ctx.res.on('close', resolve)
        // sirv does not handle errors of the file, which a newer build may have removed.
        ctx.res.on('pipe', (file) => file.on('error', () => ctx.res.destroy()))
        sendAsset(ctx.req, ctx.res, () => reject(new Error(`sirv does not know ${ctx.path}`)))
      })
      return
    }
    ctx.res.statusCode = 404
    if (NO_REDIRECT.test(ctx.path)) return next()
    ctx.redirect(/^\/zh(\/|$)/.test(ctx.path) ? '/zh' : '/')
  }
}
