import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Context } from 'koa'
import { fillText, finishPage, type ReadSettings } from './finishPage.ts'
import { PAGE_HEADERS } from './pagePolicy.ts'

interface Rendering {
  /** Path of the page, which the request's may differ from in case or in a slash at its end. */
  readonly path: string
  readonly status: number
  /** Data that the page shows. */
  readonly locals: object
  /** Allows other sites to frame the page. */
  readonly isFramed?: boolean
}

/** Renders a page of the site. */
export type RenderPage = (ctx: Context, rendering: Rendering) => Promise<void>

/** The handler that `@astrojs/node` builds in middleware mode. */
type Handler = (req: IncomingMessage, res: ServerResponse, next: undefined, locals: object) => Promise<void>

/**
 * Renders pages of the built site on request. The renderer is loaded with the first page.
 * @param entry `server/entry.mjs` of the built site
 */
export function createPageRenderer(entry: string, settings: ReadSettings): RenderPage {
  let handler: Promise<Handler> | undefined

  return async (ctx, { path, status, locals, isFramed = false }) => {
    handler ??= loadHandler(entry)
    const rendered = await renderHtml(await handler, path, withoutMarkers(locals))
    const current = await settings()
    const filled = fillText(rendered.html, current)
    const { html, policy } = finishPage(filled, { ...current, isFramed, policy: rendered.policy })
    ctx.status = status
    ctx.type = 'text/html; charset=utf-8'
    ctx.set({ ...PAGE_HEADERS, 'Content-Security-Policy': policy })
    ctx.set({ 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' })
    if (isFramed) {
      ctx.remove('X-Frame-Options')
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    ctx.body = html
    if (ctx.acceptsEncodings('br', 'identity') !== 'br') return
    ctx.set('Content-Encoding', 'br')
    ctx.body = await promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  }
}

/** Loads the handler without its listener for unhandled rejections, which would keep the process alive after them. */
async function loadHandler(entry: string): Promise<Handler> {
  const before = process.listeners('unhandledRejection')
  const { handler } = (await import(pathToFileURL(entry).href)) as { handler: Handler }
  for (const listener of process.listeners('unhandledRejection'))
    if (!before.includes(listener)) process.off('unhandledRejection', listener)
  return handler
}

/** Keeps texts of users from containing the markers of {@link fillText}, which could remove parts of the page. */
const withoutMarkers = (locals: object): object => JSON.parse(JSON.stringify(locals).replaceAll('!--', '! --'))

/** Renders a path to HTML. The request carries nothing of the client: a page depends on its path and its data alone. */
async function renderHtml(handler: Handler, path: string, locals: object) {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: path })
  request.headers.host = 'localhost'
  const chunks: Buffer[] = []
  let policy = ''
  let status = 0
  const response = Object.assign(new ServerResponse(request), {
    writeHead(code: number, headers: OutgoingHttpHeaders = {}) {
      status = code
      const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-security-policy') ?? []
      policy = String(value ?? '')
      return response
    },
    write: (chunk: Uint8Array) => chunks.push(Buffer.from(chunk)) > 0,
    end(chunk?: Uint8Array) {
      if (chunk) chunks.push(Buffer.from(chunk))
      return response
    },
  })
  await handler(request, response as ServerResponse, undefined, locals)
  if (status !== 200) throw new Error(`the page ${path} was not rendered: ${status}`)
  return { html: Buffer.concat(chunks).toString(), policy }
}
