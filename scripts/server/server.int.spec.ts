import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judge, VALID } from '#backend/kernel/media/marks/testing/readMarks.ts'
import { sourceLine } from '#backend/kernel/observability/sourceLines.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { GENERATION, registerUser, type TestUser, visitor } from '#backend/testing/testUser.ts'
import { buildServerIfStale, SERVER } from './buildServer.mjs'

/** A part of the ORM that Kinora does not use imports it. */
const UNUSED = 'dataloader'
const ROOT = path.resolve(import.meta.dirname, '../..')
const DIST = path.dirname(SERVER)
const read = (file: string) => readFileSync(file, 'utf8')

beforeAll(() => buildServerIfStale())

describe('the bundled server', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bundle-'))
  let program: Program
  let user: TestUser
  beforeAll(async () => {
    program = await startProgram({ DATA_DIR: folder, PORT: '0' }, SERVER)
    user = await registerUser(program.url)
  })
  afterAll(async () => {
    await program?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  it('prints no warning', () => expect(program.errors()).toBe(''))

  it('normalises a picture, renders a video, signs it, and stamps the copy that is downloaded', async () => {
    const form = new FormData()
    const picture = readFileSync(path.join(ROOT, 'site/public/icon-512.png'))
    form.append('file', new Blob([picture]), 'picture.png')
    const upload = { method: 'POST', headers: { cookie: user.cookie }, body: form }
    const uploaded = await fetch(`${program.url}/api/v1/videos/upload-image`, upload)
    expect(uploaded.status).toBe(200)
    const { image_url } = (await uploaded.json()) as { image_url: string }
    const body = { ...GENERATION, task_type: 'image_to_video', first_frame_image_url: image_url, resolution: '512P' }
    const { task } = (await (await user.call('POST', '/videos/generate', body)).json()) as { task: { id: string } }
    await eventually(async () => {
      const current = await (await user.call('GET', `/videos/tasks/${task.id}`)).json()
      expect(current).toMatchObject({ status: 'Success' })
    })
    const video = readFileSync(path.join(folder, 'media/videos', `${task.id}.mp4`))
    expect(await judge(video, 'video/mp4')).toMatchObject(VALID)
    const copy = await user.call('GET', `/videos/download/${task.id}?watermark=true`)
    expect(copy.status).toBe(200)
    expect((await copy.arrayBuffer()).byteLength).toBeGreaterThan(10_000)
  })

  it('refuses weak passwords and begins sign-ins with a passkey, in threads', async () => {
    const { post } = visitor(program.url)
    const weak = await post('/auth/register', { email: 'weak@kinora.test', password: 'password1', username: 'Weak' })
    expect(await weak.json()).toMatchObject({ errors: [{ code: 'password_common' }] })
    const options = await post('/users/passkeys/challenge', {})
    expect(await options.json()).toMatchObject({ options: { challenge: expect.any(String) } })
  })
})

describe('what a start has compiled', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-compiled-'))
  const cache = path.join(folder, 'cache')
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  /** Starts the server, and returns the file in which it has kept what it compiled. */
  const start = async () => {
    const env = { DATA_DIR: path.join(folder, 'data'), PORT: '0', NODE_COMPILE_CACHE: cache }
    await (await startProgram(env, SERVER)).stop()
    const names = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('main.cjs'))
    expect(names).toHaveLength(1)
    return path.join(cache, names[0]!)
  }

  it('is kept for the next start, which accepts it, and replaced if it is broken', async () => {
    const kept = await start()
    const { ino, size } = statSync(kept)
    // Only what loading the file compiles is far smaller.
    expect(size).toBeGreaterThan(2_000_000)
    expect(statSync(await start()).ino).toBe(ino)
    const middle = Math.floor(size / 2)
    writeFileSync(kept, readFileSync(kept).fill(0, middle, middle + 4_096))
    expect(statSync(await start())).toMatchObject({ size: expect.closeTo(size, -6) })
    expect(
      readFileSync(kept)
        .subarray(middle, middle + 4_096)
        .some(Boolean),
    ).toBe(true)
  })
})

describe('the bundle', () => {
  const files = () => readdirSync(DIST).filter((file) => /\.c?js$/.test(file))

  it('imports only its own files, modules of Node.js and dependencies', async () => {
    const { dependencies } = JSON.parse(read(path.join(ROOT, 'package.json')))
    const isDependency = (name: string) =>
      /^(?:@[^/]+\/)?[^/]+/.exec(name)![0] in dependencies && existsSync(path.join(ROOT, 'node_modules', name))
    const { metafile } = await build({
      stdin: {
        contents: files()
          .map((file) => `import './${file}'`)
          .join('\n'),
        resolveDir: DIST,
      },
      absWorkingDir: DIST,
      ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', write: false, metafile: true },
    })
    const missing = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
      imports
        .filter(({ path: name, external }) => external && name !== UNUSED && !isBuiltin(name) && !isDependency(name))
        .map(({ path: name }) => `${file}: ${name}`),
    )
    expect(Object.keys(metafile.inputs)).toEqual(expect.arrayContaining(files()))
    expect(missing).toEqual([])
  })

  it('has lines of the sources in stack traces', () => {
    const text = '/operator-password)'
    const lineOf = (file: string) =>
      read(file)
        .split('\n')
        .findIndex((line) => line.includes(text))
    const code = SERVER.replace('.js', '.cjs')
    const table = { sources: JSON.parse(read(`${code}.sources`)), rows: rowsOf(`${code}.lines`) }
    const column = read(code).split('\n')[lineOf(code)]!.indexOf(text)
    expect(sourceLine(table, lineOf(code), column)).toBe(
      `backend/main.ts:${lineOf(path.join(ROOT, 'backend/main.ts')) + 1}`,
    )
  })
})

const rowsOf = (file: string) => new Uint32Array(new Uint8Array(readFileSync(file)).buffer)
