import { readFileSync } from 'node:fs'
import path from 'node:path'
import Router from '@koa/router'
import { REPORTS_PATH } from './pagePolicy.ts'

const FOLDER = path.join(import.meta.dirname, 'apiDocs')
const FILES = ['page.css', 'page.mjs', 'schemaText.mjs']
/** Everything the page is made of comes from here, and it speaks to nobody else. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
  `form-action 'none'; frame-ancestors 'none'; report-uri ${REPORTS_PATH}`

/** `/docs`: a page to read and try the API by its own description. Its files are few and stay in memory. */
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
