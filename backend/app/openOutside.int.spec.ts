import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { OutgoingMail } from '../accounts/mailer.port.ts'
import { parseEnvironment } from './config/environment.ts'
import { readOutside } from './config/storageConfig.ts'
import { openOutside } from './openOutside.ts'

const CHECKPOINT = '{"checkpoint":{"createdAt":"2026-01-01T00:00:00.000Z"}}'
const read = (places: string, more: NodeJS.ProcessEnv = {}) =>
  readOutside(parseEnvironment({ HEADS_OUTSIDE: places, ...more }))

it('sends a checkpoint to a file, a web address and a mail address, and reports one that refuses it', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-outside-'))
  const bodies: string[] = []
  let status = 200
  const server = createServer(async (req, res) => {
    for await (const chunk of req) bodies.push(String(chunk))
    res.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const mails: OutgoingMail[] = []
  const send = async (mail: OutgoingMail) => {
    mails.push(mail)
    return 'sent' as const
  }
  const mailer = { send, close: async () => {} }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`
  const file = path.join(folder, 'deep', 'heads.jsonl')
  const places = openOutside(read(`${file}, ${url}, mailto:auditor@example.com`), mailer)
  for (const send of places.values()) await send(CHECKPOINT)
  for (const send of places.values()) await send(CHECKPOINT)
  expect(readFileSync(file, 'utf8')).toBe(`${CHECKPOINT}\n${CHECKPOINT}\n`)
  expect(bodies).toEqual([CHECKPOINT, CHECKPOINT])
  expect(mails[0]).toMatchObject({ to: 'auditor@example.com', text: expect.stringContaining(`\n${CHECKPOINT}\n`) })
  expect([...places.keys()].join()).not.toContain('secret')
  status = 500
  await expect([...places.values()][1]!(CHECKPOINT)).rejects.toThrow('answered 500')
})

it.each(['ftp://example.com', 'a folder', 'mailto:nobody', 'heads.json'])('refuses the place %s', (place) => {
  expect(() => read(place)).toThrow('HEADS_OUTSIDE')
})
