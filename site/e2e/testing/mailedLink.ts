import { expect } from 'vitest'
import { type MailReader, visitor } from '#backend/testing/testUser.ts'

/**
 * Waits for a mail to an address, and returns the newest link that `pattern` matches. No answer of the server waits for its mail.
 * @param mails default: those of the development mailbox
 */
export async function mailedLink(
  url: string,
  email: string,
  pattern = /https?:\S+token=\S+/,
  mails: MailReader = visitor(url).mails,
): Promise<string> {
  const read = async () => (await mails(email)).map(({ text }) => pattern.exec(text)?.[0]).find(Boolean)
  await expect.poll(read).toBeDefined()
  return (await read())!
}
