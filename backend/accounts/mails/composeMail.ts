import en from '#content/en/mails.json' with { type: 'json' }
import zh from '#content/zh/mails.json' with { type: 'json' }
import type { Language } from '../contract.ts'
import type { Mail } from '../mailer.port.ts'

const TEXTS = { en, zh }

interface Recipient {
  readonly email: string
  readonly fullName: string
  readonly language: Language
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c]!)

const filled = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name) => values[name] ?? whole)

type ReminderKind = 'renewalAhead' | 'paymentFailed' | 'creditsLow' | 'creditsGone'

/** A mail about a plan or credits. An instant among the values is written as a day in the reader's language. */
export function composeReminder(
  kind: ReminderKind,
  recipient: Recipient,
  link: string,
  values: Readonly<Record<string, string>>,
): Mail {
  const day = new Intl.DateTimeFormat(recipient.language === 'zh' ? 'zh-CN' : 'en-US', {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  const worded = Object.entries(values).map(([name, value]) => [
    name,
    name === 'date' ? day.format(new Date(value)) : value,
  ])
  return composeMail(kind, recipient, link, Object.fromEntries(worded))
}

/** A mail that leads to a link, in the account's language, as text and as HTML. */
export function composeMail(
  kind: 'verification' | 'reset' | 'passwordChanged' | ReminderKind,
  { email, fullName, language }: Recipient,
  link: string,
  about: Readonly<Record<string, string>> = {},
): Mail {
  const words = TEXTS[language][kind]
  const values = { name: fullName, link, ...about }
  const [greeting, body, button, fallback, ignore] = [
    words.greeting,
    words.body,
    words.button,
    words.fallback,
    words.ignore,
  ].map((text) => filled(text, values)) as [string, string, string, string, string]
  return {
    to: email,
    subject: filled(words.subject, values),
    text: [greeting, body, link, ignore].join('\n\n'),
    html: page(language, filled(words.subject, values), { greeting, body, button, fallback, ignore, link }),
  }
}

type Parts = Readonly<Record<'greeting' | 'body' | 'button' | 'fallback' | 'ignore' | 'link', string>>

/** Mail programs know little CSS: styles stand on the elements, and the colours read on light and dark alike. */
function page(language: Language, title: string, parts: Parts): string {
  const { greeting, body, button, fallback, ignore, link } = Object.fromEntries(
    Object.entries(parts).map(([name, text]) => [name, escaped(text)]),
  ) as Parts
  const paragraph = (text: string, colour: string) => `<p style="margin:0 0 16px;color:${colour}">${text}</p>`
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8"><meta name="color-scheme" content="dark"><title>${escaped(title)}</title></head>
<body style="margin:0;padding:32px 16px;background:#0d0b0a;font:16px/1.6 system-ui,sans-serif">
<div style="max-width:480px;margin:auto;padding:32px;border-radius:12px;background:#1d1917">
<p style="margin:0 0 24px;color:#ff7a1a;font-size:20px;font-weight:700">Kinora</p>
${paragraph(greeting, '#f6f1ec')}${paragraph(body, '#f6f1ec')}
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#ff7a1a;color:#1a0e05;font-weight:600;text-decoration:none">${button}</a></p>
${paragraph(`${fallback}<br><a href="${link}" style="color:#ff9447;word-break:break-all">${link}</a>`, '#b3a9a1')}
${paragraph(ignore, '#b3a9a1')}
</div></body></html>`
}
