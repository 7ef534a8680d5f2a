import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FULL, SLACK } from '../../testing/fullRun.ts'
import { type HostileFile, hostileFiles, largePicture } from '../../testing/hostileFiles.ts'
import { type Program, startProgram } from '../../testing/program.ts'
import { registerUser, type TestUser } from '../../testing/testUser.ts'

const COUNT = FULL ? 500 : 75
const AT_ONCE = 4
/** Uploads of one user, below the limit of 60 an hour. */
const PER_USER = 50
const MB = 1024 * 1024

let folder: string
let program: Program
let user: TestUser
let users: TestUser[]
let files: readonly HostileFile[]
let large: HostileFile

beforeAll(async () => {
  files = [...hostileFiles(COUNT, 20_261_121)]
  large = { kind: 'welcome', name: 'a.png', type: 'image/png', bytes: largePicture(), codes: [] }
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-hostile-'))
  // Admission charges uploads by their bytes and would delay them.
  program = await startProgram({ DATA_DIR: folder, PORT: '0', SESSION_RATE: '1000000' })
  user = await registerUser(program.url)
  users = []
  for (let n = 0; n < AT_ONCE + COUNT / PER_USER; n++) users.push(await registerUser(program.url))
})
afterAll(async () => {
  await program?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

const filesIn = (kind: string) => {
  try {
    return readdirSync(path.join(folder, kind), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [entry.name] : [],
    )
  } catch {
    return []
  }
}

async function upload({ bytes, name, type }: Pick<HostileFile, 'bytes' | 'name' | 'type'>, by = user) {
  const form = new FormData()
  form.append('file', new Blob([bytes as BlobPart], { type }), name)
  return fetch(`${program.url}/api/v1/videos/upload-image`, {
    method: 'POST',
    headers: { cookie: by.cookie },
    body: form,
  })
}

/** Sends a raw body and returns what the server responds before it closes the connection, or before it answers a later call. */
function rawUpload(head: readonly string[], body: Buffer, closes: boolean): Promise<string> {
  const { hostname, port } = new URL(program.url)
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect(Number(port), hostname)
    const done = () => {
      socket.destroy()
      resolve(heard)
    }
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.on('close', done).on('error', done)
    const lines = ['POST /api/v1/videos/upload-image HTTP/1.1', 'Host: x', `Cookie: ${user.cookie}`, ...head]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.write(body, () => closes || void fetch(`${program.url}/healthz`).then(done))
  })
}

describe('malformed and hostile uploads', () => {
  it('are each rejected with a specific 4xx, and leave no file and no used memory', {
    timeout: 600_000,
  }, async () => {
    // Warm up: measure memory after some large valid uploads, as in normal operation.
    for (let n = 0; n < 4; n++) expect((await upload(large)).status).toBe(200)
    const welcome = filesIn('media')
    const before = program.residentBytes()
    let peak = before
    const outcomes: string[] = []
    const queue = files.values()
    const worker = async () => {
      let [by, count] = [users.pop()!, 0]
      for (const file of queue) {
        // One upload of a user runs at a time.
        if (count++ === PER_USER) [by, count] = [users.pop()!, 1]
        const answer = await upload(file, by)
        const { code, errors } = (await answer.json()) as { code: string; errors?: { path: string }[] }
        const isClear =
          file.codes.includes(code) &&
          (answer.status === 413 || (answer.status === 422 && errors?.[0]?.path === 'file'))
        if (!isClear) outcomes.push(`${file.kind} (${file.name}): ${answer.status} ${code}`)
        peak = Math.max(peak, program.residentBytes())
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    expect(outcomes).toEqual([])
    const grown = (program.residentBytes() - before) / MB
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
    console.log(
      `${COUNT} hostile uploads, ${Math.round(bytes / MB)} MB, ${AT_ONCE} in parallel: the resident memory of the program grew by ` +
        `${grown.toFixed(1)} MB, with a peak of ${((peak - before) / MB).toFixed(1)} MB`,
    )
    // Garbage that V8 collects later, about 40 MB however many files are sent.
    expect(grown).toBeLessThan(80 * SLACK)
    expect([filesIn('tmp'), filesIn('media')]).toEqual([[], welcome])
  })

  it('are also rejected when the headers of the body are wrong', async () => {
    const part = (headers: string) => `--b\r\n${headers}\r\n\r\n`
    const file = part('Content-Disposition: form-data; name="file"; filename="a.png"')
    const type = 'Content-Type: multipart/form-data; boundary=b'
    const cases: [string, string[], string, RegExp][] = [
      ['no boundary', ['Content-Type: multipart/form-data', 'Content-Length: 4'], 'abcd', / 422 /],
      ['no end', [type, `Content-Length: ${file.length + 4}`], `${file}abcd`, / 422 /],
      ['no parts', [type, 'Content-Length: 8'], '--b--\r\n\r\n', / 4(00|22) /],
      [
        'a file that is a field',
        [type, 'Content-Length: 400'],
        part('Content-Disposition: form-data; name="file"').padEnd(400),
        / 422 /,
      ],
      ['two lengths', [type, 'Content-Length: 4', 'Content-Length: 9'], 'abcd', / 400 /],
      ['a length and chunks', [type, 'Content-Length: 4', 'Transfer-Encoding: chunked'], 'abcd', / 400 /],
      ['a length below zero', [type, 'Content-Length: -1'], 'abcd', / 400 /],
      // The Content-Length exceeds the body: the server waits for the rest and stores nothing.
      ['more promised than sent', [type, 'Content-Length: 100000'], `${file}abcd`, /^$/],
    ]
    const before = filesIn('media')
    for (const [name, head, body, wanted] of cases) {
      const heard = await rawUpload([...head, 'Connection: close'], Buffer.from(body), !wanted.test(''))
      expect([name, heard.split('\r\n')[0]]).toEqual([name, expect.stringMatching(wanted)])
    }
    expect([filesIn('tmp'), filesIn('media')]).toEqual([[], before])
    // Until the server has noticed that the last client left, the user has an upload in progress.
    await expect.poll(async () => (await upload(large)).status).toBe(200)
    expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  })

  it('are told what is wrong with their form, by the same process', async () => {
    const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`
    const disposition = (name: string) => `Content-Disposition: form-data; name="${name}"`
    const file = part(
      `${disposition('file')}; filename="a.jpg"\r\nContent-Type: image/jpeg`,
      '\xff\xd8\xff'.padEnd(30_000),
    )
    const forms: [string, string, string][] = [
      ['two files', file + file, 'one_file'],
      [
        'a file, and a field with an encoding',
        `${file}${part(`${disposition('a')}\r\nContent-Transfer-Encoding: 7bit`)}`,
        'invalid_file_type',
      ],
      ['a field with an encoding', part(`${disposition('a')}\r\nContent-Transfer-Encoding: 8bit`), 'required'],
      ['an unknown encoding', part(`${disposition('a')}\r\nContent-Transfer-Encoding: x`) + file, 'invalid_file_type'],
      ['an empty file', part(disposition('file'), ''), 'required'],
      ['many fields', part(disposition('a')).repeat(25), 'too_many_parts'],
      ['large fields', part(disposition('a'), 'x'.repeat(10_001)) + file, 'fields_too_large'],
      ['a part without a name', part('Content-Type: image/jpeg') + file, 'malformed_form'],
    ]
    for (const [n, route] of ['/videos/upload-image', '/auth/start/image'].entries())
      for (const [name, parts, code] of forms) {
        const body = Buffer.from(`${parts}--b--\r\n`, 'latin1')
        const headers = { 'content-type': 'multipart/form-data; boundary=b', ...(n === 0 && { cookie: user.cookie }) }
        const answer = await fetch(`${program.url}/api/v1${route}`, { method: 'POST', headers, body })
        const { errors = [] } = (await answer.json()) as { errors?: { code: string }[] }
        expect([name, answer.status, errors[0]?.code]).toEqual([name, 422, code])
      }
    expect(program.errors()).toBe('')
  })
})
