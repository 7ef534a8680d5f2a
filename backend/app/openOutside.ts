import { randomUUID } from 'node:crypto'
import { appendFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Mailer } from '../accounts/mailer.port.ts'
import type { OutsidePlace } from './config/storageConfig.ts'

const TIMEOUT_MS = 10_000

type Send = (checkpoint: string) => Promise<void>

/** Opens the places outside that take the checkpoints of the ledger, by number and name. They are the operator's own. */
export const openOutside = (places: readonly OutsidePlace[], mailer: Mailer): ReadonlyMap<string, Send> =>
  new Map(places.map((place, index) => [`${index + 1}: ${nameOf(place)}`, sendTo(place, mailer)]))

/** Addresses may contain a secret, which must not be logged. */
function nameOf(place: OutsidePlace): string {
  if ('url' in place) return new URL(place.url).host
  return 'mail' in place ? place.mail : place.file
}

function sendTo(place: OutsidePlace, mailer: Mailer): Send {
  if ('url' in place) return (checkpoint) => post(place.url, checkpoint)
  if ('mail' in place) return (checkpoint) => mailTo(place.mail, checkpoint, mailer)
  return async (checkpoint) => {
    await mkdir(path.dirname(place.file), { recursive: true })
    await appendFile(place.file, `${checkpoint}\n`)
  }
}

async function post(url: string, body: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`)
}

async function mailTo(to: string, checkpoint: string, mailer: Mailer): Promise<void> {
  const subject = `Kinora: ledger checkpoint of ${JSON.parse(checkpoint).checkpoint.createdAt}`
  const help =
    'Keep this mail. `npm run audit -- verify --heads` reads it as a file, and docs/receipts.md describes it.'
  const escaped = checkpoint.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)
  const content = Buffer.from(`${checkpoint}\n`).toString('base64')
  const result = await mailer.send({
    ...{ id: randomUUID(), userId: null, to, subject, text: `${help}\n\n${checkpoint}\n` },
    html: `<p>${help}</p><pre>${escaped}</pre>`,
    // A mail server may break the long line of the text.
    attachments: [{ filename: 'checkpoint.jsonl', contentType: 'application/jsonl', content }],
  })
  if (result !== 'sent') throw new Error(`the mail server refused ${to}`)
}
