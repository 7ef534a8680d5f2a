import Router from '@koa/router'
import type { Context } from 'koa'
import type { Mailbox, StoredMail } from './mailbox.ts'

/** Emails have inline styles, and the frames that show them inherit the page's policy. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'none'"

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

/**
 * Serves the mailbox as a page and as JSON. For development only.
 * @param delivered resolves when all emails are delivered, so that emails from requests that just completed are listed
 */
export function mailboxRoutes(mailbox: Mailbox, delivered: () => Promise<void>): Router {
  const list = async (ctx: Context) => {
    await delivered()
    ctx.set('Cache-Control', 'no-store')
    return mailbox.list(typeof ctx.query.to === 'string' ? ctx.query.to : undefined)
  }
  return new Router()
    .get('/dev/mailbox.json', async (ctx) => {
      ctx.body = await list(ctx)
    })
    .get('/dev/mailbox', async (ctx) => {
      ctx.set('Content-Security-Policy', POLICY)
      ctx.type = 'html'
      ctx.body = page(await list(ctx))
    })
}

const page = (mails: readonly StoredMail[]) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Mailbox · Kinora</title>
<style>body{margin:0;background:#0d0b0a;color:#f6f1ec;font:16px/1.6 system-ui,sans-serif}main{max-width:720px;margin:auto;padding:32px 16px}
h1{font-size:28px}article{background:#151211;border:1px solid #ffffff14;border-radius:12px;padding:16px;margin:0 0 16px}h2{margin:0;font-size:18px}
p{color:#b3a9a1;margin:4px 0 16px}iframe{width:100%;height:420px;border:0;border-radius:8px;background:#0d0b0a}</style></head>
<body><main><h1>Mailbox</h1><p>No mail server is configured, so mails are stored here. This page exists in development only.</p>
${mails.map(mailCard).join('\n') || '<article><h2>No mails yet</h2><p>Register an account and its verification mail appears here.</p></article>'}
</main></body></html>`

const mailCard = ({ to, subject, html, sentAt }: StoredMail) => `<article><h2>${escaped(subject)}</h2>
<p>To ${escaped(to)} · ${escaped(sentAt)}</p>
<iframe sandbox="allow-popups allow-top-navigation-by-user-activation" title="${escaped(subject)}" srcdoc="${escaped(html.replace('<head>', '<head><base target="_top">'))}"></iframe></article>`
