import { readFileSync } from 'node:fs'
import path from 'node:path'
import Router from '@koa/router'
import { REPORTS_PATH } from './site/pagePolicy.ts'

const FOLDER = path.join(import.meta.dirname, 'apiDocs')
const FILES = ['page.css', 'page.mjs', 'schemaText.mjs', 'texts.mjs']
/** Content security policy that allows resources and requests from this origin only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
  `form-action 'none'; frame-ancestors 'none'; report-uri ${REPORTS_PATH}`

/** Creates the routes of the API reference at `/docs`, a page that renders the OpenAPI description. */
export function apiDocs(): Router {
  const router = new Router()
  const page = readFileSync(path.join(FOLDER, 'page.html'))
  router.get('/docs', (ctx) => {
    ctx.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'public, max-age=300' })
    ctx.type = 'html'
    ctx.body = page
  })
  for (const name of FILES) {
    const file = readFileSync(path.join(FOLDER, name))
    router.get(`/docs/${name}`, (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=300')
      ctx.type = path.extname(name) === '.mjs' ? 'text/javascript' : path.extname(name)
      ctx.body = file
    })
  }
  return router
}
