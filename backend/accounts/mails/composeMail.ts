import en from '#content/en/mails.json' with { type: 'json' }
import zh from '#content/zh/mails.json' with { type: 'json' }
import type { Language } from '../contract.ts'
import type { Mail } from '../mailer.port.ts'

const TEXTS = { en, zh }
const LOCALES = { en: 'en', zh: 'zh-CN' }

export type MailKind = keyof typeof en
type MailText = (typeof en)[MailKind]

type Recipient = Readonly<{ email: string; fullName: string; language: Language }>

const mapText = <T extends Record<string, string>>(texts: T, change: (text: string) => string) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)])) as T

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c)

/**
 * Composes an email with a link, as text and HTML, in the recipient's language. `values` fill the placeholders; `date`
 * is an ISO timestamp, which is formatted as a date in UTC.
 */
export function composeMail(
  kind: MailKind,
  { email, fullName, language }: Recipient,
  link: string,
  { date, ...values }: Readonly<Record<string, string>> = {},
): Mail {
  const day = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
  const shownDate = date && { date: day.format(new Date(date)) }
  const filled: Record<string, string> = { name: fullName, ...values, ...shownDate }
  const text = mapText(TEXTS[language][kind], (text) =>
    text.replace(/\{\{\s*(\w+)\s*\}\}/g, (placeholder, name) => filled[name] ?? placeholder),
  )
  return {
    to: email,
    subject: text.subject,
    text: [text.greeting, text.body, `${text.button}:\n${link}`, text.ignore].join('\n\n'),
    html: page(LOCALES[language], mapText({ ...text, link }, escaped)),
  }
}

/** Returns the HTML. Styles are inline because email clients support little CSS. Colours suit light and dark mode. */
function page(
  locale: string,
  { subject, greeting, body, button, fallback, ignore, link }: MailText & { readonly link: string },
): string {
  const paragraph = (text: string, colour: string) => `<p style="margin:0 0 16px;color:${colour}">${text}</p>`
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="color-scheme" content="dark"><title>${subject}</title></head>
<body style="margin:0;padding:32px 16px;background:#0d0b0a;font:16px/1.6 system-ui,sans-serif">
<div style="max-width:480px;margin:auto;padding:32px;border-radius:12px;background:#1d1917">
<p style="margin:0 0 24px;color:#ff7a1a;font-size:20px;font-weight:700">Kinora</p>
${paragraph(greeting, '#f6f1ec')}${paragraph(body, '#f6f1ec')}
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#ff7a1a;color:#1a0e05;font-weight:600;text-decoration:none">${button}</a></p>
${paragraph(`${fallback}<br><a href="${link}" style="color:#ff9447;word-break:break-all">${link}</a>`, '#b3a9a1')}
${paragraph(ignore, '#b3a9a1')}
</div></body></html>`
}
