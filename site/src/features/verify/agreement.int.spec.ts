import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import load, { WasmReader } from '@contentauth/c2pa-wasm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { createMarker, type Marker } from '#backend/kernel/media/marks/createMarker.ts'
import { parseCredential } from '#backend/kernel/media/marks/credential.ts'
import { issueCredential } from '#backend/kernel/media/marks/issueCredential.ts'
import type { ReceiptAssertion } from '#backend/kernel/media/marks/manifest.ts'
import { createSigner, type Signer } from '#backend/kernel/media/marks/signInThread.ts'
import { judgeByReference, lacksReference } from '#backend/kernel/media/marks/testing/referenceReader.ts'
import { makePoster } from '#backend/kernel/media/poster.ts'
import { FULL, SEED } from '#backend/testing/fullRun.ts'
import { seeded } from '#backend/testing/seeded.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { type ReadManifest, readFile as readHere } from './readFile.ts'
import type { State } from './report.ts'

const TASK = '0198c2a0-0000-7000-8000-000000000001'
const RECEIPT: ReceiptAssertion = {
  ...{ version: 1, installation: 'https://video.example.com', task: TASK, model: 'demo', credits: 30 },
  ...{ engine: 'demo', engine_model: 'Kinora demo', head: null },
  hold: { event: 'ab'.repeat(32), position: '12' },
}
const JOINED: ReceiptAssertion = { ...RECEIPT, credits: 0, hold: { event: 'cd'.repeat(32), position: '34' } }
const FILM = { taskId: TASK, origin: { source: 'trainedAlgorithmicMedia', agent: 'A model' } } as const

const random = seeded(SEED)
const folder = await mkdtemp(path.join(tmpdir(), 'kinora-agreement-'))
const inFolder = (name: string) => path.join(folder, name)
let signers: Signer[] = []
let anchors: string
const base: Record<string, Buffer> = {}

const readManifest: ReadManifest = async (file, format, settings) => {
  const reader = await WasmReader.fromBytes(format, new Uint8Array(await file.arrayBuffer()), settings)
  return reader.json()
}
const judge = (content: Buffer, known = anchors) => readHere(new Blob([new Uint8Array(content)]), readManifest, known)

async function installation(): Promise<{ marker: Marker; root: string }> {
  const { certificates, key } = await issueCredential(Date.now())
  const signer = createSigner(async () => parseCredential(certificates, key))
  signers.push(signer)
  const marker = createMarker(signer, 'Kinora', undefined, { warn: () => {} })
  return { marker, root: certificates.slice(certificates.lastIndexOf('-----BEGIN')) }
}

/** Makes a file with a name and returns its content. */
async function made(name: string, make: (file: string) => Promise<unknown>): Promise<Buffer> {
  await make(inFolder(name))
  return readFile(inFolder(name))
}

beforeAll(async () => {
  await load({
    module_or_path: await readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')),
  })
  const [own, former, other] = [await installation(), await installation(), await installation()]
  // Former certificates stay published.
  anchors = [own.root, former.root].join('\n')
  const plain = await makeTinyVideo()
  const marked = (marker: Marker, receipt?: ReceiptAssertion) => async (file: string) => {
    await copyFile(plain, file)
    await marker.markVideo(file, { ...FILM, receipt })
  }
  base.genuine = await made('genuine.mp4', marked(own.marker, RECEIPT))
  base.older = await made('older.mp4', marked(own.marker))
  base.former = await made('former.mp4', marked(former.marker, RECEIPT))
  base.other = await made('other.mp4', marked(other.marker, RECEIPT))
  base.copy = await made('copy.mp4', async (file) => {
    await copyFile(plain, file)
    await own.marker.markCopy(file, FILM, inFolder('genuine.mp4'), 'A watermark was added.')
  })
  base.poster = await made('poster.jpg', async (file) => {
    await makePoster(plain, file)
    await own.marker.markPoster(file, { ...FILM, receipt: RECEIPT })
  })
  base.posterFormer = await made('posterFormer.jpg', async (file) => {
    await makePoster(plain, file)
    await former.marker.markPoster(file, FILM)
  })
  base.olderCopy = await made('olderCopy.mp4', async (file) => {
    await copyFile(plain, file)
    await own.marker.markCopy(file, FILM, inFolder('older.mp4'), 'A watermark was added.')
  })
  // A copy that is made today of a film that the former certificate signed.
  base.formerCopy = await made('formerCopy.mp4', async (file) => {
    await copyFile(plain, file)
    await own.marker.markCopy(file, FILM, inFolder('former.mp4'), 'A watermark was added.')
  })
  base.joined = await made('joined.mp4', async (file) => {
    await copyFile(plain, file)
    const parts = ['older', 'former'].map((name) => ({ taskId: name, file: inFolder(`${name}.mp4`) }))
    await own.marker.markVideo(file, { ...FILM, receipt: JOINED }, { parts })
  })
  // A stranger's film that has ours as its ingredient.
  base.taken = await made('taken.mp4', async (file) => {
    await copyFile(plain, file)
    await other.marker.markCopy(file, FILM, inFolder('genuine.mp4'), 'A copy.')
  })
  base.encoded = await made('encoded.mp4', (file) =>
    runFfmpeg(['-y', '-i', inFolder('genuine.mp4'), '-b:v', '90k', file]),
  )
  base.stripped = await made('stripped.mp4', (file) =>
    runFfmpeg(['-y', '-i', inFolder('genuine.mp4'), '-c', 'copy', '-map_metadata', '-1', file]),
  )
})
afterAll(async () => {
  for (const signer of signers) await signer.close()
  signers = []
  await rm(folder, { recursive: true })
})

const flipped = (content: Buffer) => {
  const copy = Buffer.from(content)
  const at = Math.floor(random() * copy.length)
  copy[at] = copy[at]! ^ (1 + Math.floor(random() * 255))
  return copy
}
const cut = (content: Buffer) => content.subarray(0, Math.floor(random() * content.length))

/** Files of every kind; more of those that differ each time. */
function* files(count: number): Generator<[name: string, content: Buffer]> {
  for (const [name, content] of Object.entries(base)) yield [name, content]
  const sources = Object.entries(base).filter(([name]) => !['encoded', 'stripped'].includes(name))
  for (let n = Object.keys(base).length; n < count; n++) {
    const [name, content] = sources[n % sources.length]!
    yield n % 3 === 0 ? [`${name} cut`, cut(content)] : [`${name} with another byte`, flipped(content)]
  }
}

describe('the page', () => {
  it.each<[string, State]>([
    ['genuine', 'own'],
    ['older', 'own'],
    ['copy', 'own'],
    ['poster', 'own'],
    ['former', 'own'],
    ['posterFormer', 'own'],
    ['olderCopy', 'own'],
    ['formerCopy', 'own'],
    ['joined', 'own'],
    ['other', 'other'],
    ['taken', 'other'],
    ['encoded', 'none'],
    ['stripped', 'none'],
  ])('says of a file that is %s: %s', async (name, state) => {
    const { failures, ...judged } = await judge(base[name]!)
    expect({ state: judged.state, failures }).toEqual({ state, failures: [] })
    const isTold = ['genuine', 'copy', 'poster', 'former', 'formerCopy'].includes(name)
    const receipt = name === 'joined' ? JOINED : isTold ? RECEIPT : undefined
    if (state === 'own') expect(judged.assertion).toEqual(receipt)
    // Of a stranger's ingredients it believes nothing.
    if (name === 'taken') expect(judged.assertion).toBeUndefined()
    expect(judged.marks.aigc?.id).toBe(name === 'stripped' || name === 'encoded' ? undefined : TASK)
  })

  it('knows no film of its own without the certificates of this installation', async () => {
    expect((await judge(base.genuine!, '')).state).toBe('other')
  })

  it('names a forged receipt, and a film that was changed', async () => {
    const forged = Buffer.from(base.genuine!)
    forged.write('cd', forged.indexOf('abab'))
    expect((await judge(forged)).failures).toEqual([
      { code: 'assertion.hashedURI.mismatch', part: 'com.example.video.kinora.receipt' },
    ])
    const changed = Buffer.from(base.genuine!)
    const at = changed.indexOf('mdat') + 60
    changed[at] = changed[at]! ^ 1
    expect(await judge(changed)).toMatchObject({
      state: 'changed',
      failures: [{ code: 'assertion.bmffHash.mismatch' }],
    })
  })

  it.skipIf(lacksReference)(
    `agrees with c2pa-python about ${FULL ? 200 : 24} files${lacksReference && ` (${lacksReference})`}`,
    async () => {
      const all = [...files(FULL ? 200 : 24)]
      const names = all.map(([name], index) => inFolder(`${index}.${name.startsWith('poster') ? 'jpg' : 'mp4'}`))
      for (const [index, [, content]] of all.entries()) await writeFile(names[index]!, content)
      const theirs = await judgeByReference(names)
      const differing: string[] = []
      const states = new Map<string, number>()
      for (const [index, [name, content]] of all.entries()) {
        const { state, failures } = await judge(content)
        states.set(state, (states.get(state) ?? 0) + 1)
        const theirsOfIt = theirs[index] ?? 'none'
        const reference = typeof theirsOfIt === 'string' ? undefined : theirsOfIt
        const codes = (reference?.failures ?? []).filter((code) => code !== 'signingCredential.untrusted')
        const said = reference ? (reference.state === 'Invalid' ? 'changed' : 'valid') : theirsOfIt
        const isSame =
          !reference ||
          failures
            .map(({ code }) => code)
            .sort()
            .join() === codes.sort().join()
        if (said !== (state === 'own' || state === 'other' ? 'valid' : state) || !isSame)
          differing.push(`${name}: ${state} ${failures.map(({ code }) => code)}; ${said} ${codes}`)
      }
      expect(differing).toEqual([])
      expect([...states.keys()].sort()).toEqual(['changed', 'none', 'other', 'own', 'unreadable'])
    },
  )
})
