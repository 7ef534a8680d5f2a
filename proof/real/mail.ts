import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { REFUSED_TEXT, recordDialogue, SIZE_LIMIT } from '#backend/providers/mail/testing/recordedDialogue.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { registerUser } from '#backend/testing/testUser.ts'
import { compare } from './engines.ts'
import { startKinora, walkJourney } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { preparePython } from './python.ts'
import { makeCertificate, startServer } from './server.ts'

const VERSION = '1.4.6'
const RECORDING = path.resolve(import.meta.dirname, '../../backend/providers/mail/testing/recordings/aiosmtpd.json')

/** A mail server with STARTTLS that defers each recipient at first, and is out of reach for a while. */
export const MAIL_PARTS: readonly Part[] = [{ name: 'aiosmtpd', run: tryMail }]

async function tryMail({ cache, folder, record }: PartContext): Promise<string> {
  const { python } = await preparePython(cache, [`aiosmtpd==${VERSION}`], [])
  const port = await freePort()
  const { certificate, key } = makeCertificate(folder)
  const taken = path.join(folder, 'mails')
  mkdirSync(taken)
  const server = path.join(import.meta.dirname, 'engines/smtp.py')
  const start = (greySeconds: number, size: number) =>
    startServer(
      [python, server, String(port), certificate, key, taken, String(greySeconds), String(size), REFUSED_TEXT],
      port,
    )
  {
    await using _ = await start(-1, SIZE_LIMIT)
    compare(RECORDING, VERSION, await recordDialogue(port), record)
  }
  await using kinora = await startKinora({
    DATA_DIR: path.join(folder, 'data'),
    SMTP_URL: `smtp://localhost:${port}`,
    MAIL_FROM: 'Kinora <hello@kinora.test>',
    CA_FILE: certificate,
  })
  {
    await using _ = await start(3, 1_000_000)
    await walkJourney(kinora, (to) => mailsIn(taken, to))
  }
  // The mail is sent while the server is out of reach.
  const registered = registerUser(kinora.url, undefined, (to) => mailsIn(taken, to))
  await delay(2_000)
  await using _ = await start(3, 1_000_000)
  await registered
  return VERSION
}

/** Waits for the mails to an address. */
async function mailsIn(folder: string, to: string): Promise<readonly { readonly text: string }[]> {
  for (;;) {
    const mails = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))
    const own = mails.filter((mail) => mail.includes(`To: ${to}`)).map((mail) => ({ text: decoded(mail) }))
    if (own.length > 0) return own
    await delay(200)
  }
}

/** Returns a mail without the line breaks and escapes of quoted-printable. */
const decoded = (mail: string) => mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
