import { generateKeyPairSync, verify, X509Certificate } from 'node:crypto'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { makePoster } from '../poster.ts'
import { probeMp4 } from '../probeMp4.ts'
import { createMarker, type MarkedFilm, type Marker } from './createMarker.ts'
import { parseCredential } from './credential.ts'
import { issueCredential } from './issueCredential.ts'
import { createdManifest } from './manifest.ts'
import { createSigner, type Signer } from './signInThread.ts'
import { judge, readAigc, VALID } from './testing/readMarks.ts'

const TASK = '0198c2a0-0000-7000-8000-000000000001'
const FILM: MarkedFilm = { taskId: TASK, origin: { source: 'trainedAlgorithmicMedia', agent: 'MiniMax-Hailuo-02' } }
const FIELD = {
  Label: '1',
  ContentProducer: 'Kinora "测试"',
  ProduceID: TASK,
  ReservedCode1: '',
  ContentPropagator: '',
  PropagateID: '',
  ReservedCode2: '',
}

const NOTHING = { definition: { assertions: [] } }
const log = { warn: vi.fn() }
let folder: string
let plain: string
let marked: string
let signer: Signer
let marker: Marker
const judgeVideo = async (file: string) => judge(await readFile(file), 'video/mp4')

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kinora-marks-'))
  const { certificates, key } = await issueCredential(Date.now())
  signer = createSigner(async () => parseCredential(certificates, key))
  marker = createMarker(signer, FIELD.ContentProducer, undefined, log)
  plain = await makeTinyVideo()
  marked = path.join(folder, 'marked.mp4')
  await copyFile(plain, marked)
  await marker.markVideo(marked, FILM)
})
afterAll(async () => {
  await signer.close()
  await rm(folder, { recursive: true })
})

describe('a marked video', () => {
  it('has a valid manifest that says a model made it, and an AIGC field', async () => {
    expect(await judgeVideo(marked)).toEqual({
      ...VALID,
      actions: ['c2pa.created'],
      sources: ['trainedAlgorithmicMedia'],
      agents: ['MiniMax-Hailuo-02'],
      manifests: 1,
    })
    expect(await readAigc(marked)).toEqual(FIELD)
  })

  it('and its copies say that rules drew it', async () => {
    const film = { taskId: TASK, origin: { source: 'algorithmicMedia', agent: 'Kinora demo' } } as const
    const [drawn, copy] = ['drawn.mp4', 'drawnCopy.mp4'].map((name) => path.join(folder, name)) as [string, string]
    await copyFile(plain, drawn)
    await marker.markVideo(drawn, film)
    await copyFile(drawn, copy)
    await marker.markCopy(copy, film, drawn, 'A watermark was added.')
    const sources = ['algorithmicMedia']
    expect(await judgeVideo(drawn)).toMatchObject({ ...VALID, sources, agents: ['Kinora demo'] })
    expect(await judgeVideo(copy)).toMatchObject({ ...VALID, sources, agents: [], manifests: 2 })
  })

  it('keeps its frames and its place for the index', async () => {
    const { size: _, ...before } = await probeMp4(plain)
    const { size, ...after } = await probeMp4(marked)
    expect([after, size]).toEqual([before, (await readFile(marked)).length])
  })

  it('is no longer valid after any byte of its data or its field has changed', async () => {
    const whole = await readFile(marked)
    for (const at of [whole.indexOf('mdat') + 40, whole.indexOf(TASK) + 3, whole.length - 20]) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      expect(await judge(changed, 'video/mp4'), `byte ${at}`).toMatchObject({
        state: 'Invalid',
        failures: expect.arrayContaining(['assertion.bmffHash.mismatch']),
      })
    }
  })

  it('loses the metadata of the program that made it', async () => {
    expect((await readFile(plain)).includes('Lavf')).toBe(true)
    const named = path.join(folder, 'named.mp4')
    const { runFfmpeg } = await import('../ffmpeg.ts')
    await runFfmpeg(['-i', plain, '-c', 'copy', '-metadata', 'comment=a secret workflow', named])
    await marker.markVideo(named, FILM)
    expect((await readFile(named)).includes('a secret workflow')).toBe(false)
  })
})

describe('the marks of an engine', () => {
  /** Returns a copy of the plain video with the marks of an engine. */
  async function deliver(): Promise<string> {
    const { certificates, key } = await issueCredential(Date.now())
    const engine = createSigner(async () => parseCredential(certificates, key))
    const delivered = path.join(folder, 'delivered.mp4')
    await copyFile(plain, delivered)
    await createMarker(engine, 'An engine', undefined, log).markVideo(delivered, { ...FILM, taskId: 'job-1' })
    await engine.close()
    return delivered
  }

  it('are kept: its manifest as the ingredient, and its field as a reserved part', async () => {
    const delivered = await deliver()
    await marker.markVideo(delivered, FILM)
    expect(await judgeVideo(delivered)).toEqual({
      ...VALID,
      actions: ['c2pa.opened', 'c2pa.edited'],
      sources: ['trainedAlgorithmicMedia'],
      agents: [],
      manifests: 2,
    })
    const { ReservedCode1, ...field } = (await readAigc(delivered))!
    expect({ ...field, ReservedCode1: '' }).toEqual(FIELD)
    expect(JSON.parse(ReservedCode1!)).toMatchObject({ ContentProducer: 'An engine', ProduceID: 'job-1' })
    expect((await readdir(folder)).filter((name) => name.startsWith('delivered'))).toEqual(['delivered.mp4'])
    expect(log.warn).not.toHaveBeenCalled()
  })

  it('are kept by ffmpeg where only that can write the field', async () => {
    const delivered = await deliver()
    const more = Buffer.from('0000000c6d64617400000000', 'hex')
    await writeFile(delivered, Buffer.concat([await readFile(delivered), more]))
    await marker.markVideo(delivered, FILM)
    const { actions, manifests } = await judgeVideo(delivered)
    expect({ actions, manifests }).toEqual({ actions: ['c2pa.opened', 'c2pa.edited'], manifests: 2 })
    expect(JSON.parse((await readAigc(delivered))!.ReservedCode1!)).toMatchObject({ ProduceID: 'job-1' })
    expect((await readdir(folder)).filter((name) => name.startsWith('delivered'))).toEqual(['delivered.mp4'])
  })

  it('are signed without its manifest, which is logged, if that is damaged', async () => {
    const delivered = await deliver()
    const damaged = await readFile(delivered)
    damaged.fill(0xff, damaged.indexOf('jumb'), damaged.indexOf('jumb') + 400)
    await writeFile(delivered, damaged)
    await marker.markVideo(delivered, FILM)
    expect(await judgeVideo(delivered)).toMatchObject({ ...VALID, actions: ['c2pa.created'], manifests: 1 })
    expect(JSON.parse((await readAigc(delivered))!.ReservedCode1!)).toMatchObject({ ProduceID: 'job-1' })
    expect(log.warn.mock.calls.map(([fields, message]) => [fields.taskId, message])).toEqual([
      [TASK, 'c2pa manifest of source unreadable, signing without it'],
    ])
  })
})

describe('a marked copy', () => {
  it.each([
    ['a marked original, as its ingredient', () => marked, 2],
    ['an original of an earlier release', () => plain, 1],
  ])('has its own valid manifest for %s', async (_, original, manifests) => {
    const copy = path.join(folder, 'copy.mp4')
    await copyFile(original(), copy)
    await marker.markCopy(copy, FILM, original(), 'A watermark was added.')
    expect(await judgeVideo(copy)).toEqual({
      ...VALID,
      actions: ['c2pa.opened', 'c2pa.edited'],
      sources: ['trainedAlgorithmicMedia'],
      agents: [],
      manifests,
    })
    expect(await readAigc(copy)).toEqual(FIELD)
  })
})

describe('a copy of a video of unknown origin', () => {
  it('has a valid manifest that says nothing of the origin', async () => {
    const copy = path.join(folder, 'unknown.mp4')
    await copyFile(plain, copy)
    const film = { taskId: TASK, origin: { source: null, agent: null } }
    await marker.markCopy(copy, film, plain, 'A watermark was added.')
    expect(await judgeVideo(copy)).toMatchObject({ ...VALID, sources: [], agents: [] })
  })
})

describe('a marked poster', () => {
  it('has a valid manifest, and the field as XMP', async () => {
    const poster = path.join(folder, 'poster.jpg')
    await makePoster(plain, poster)
    await marker.markPoster(poster, FILM)
    const content = await readFile(poster)
    expect(await judge(content, 'image/jpeg')).toMatchObject({ ...VALID, actions: ['c2pa.created'] })
    const { xmp, width } = await sharp(content).metadata()
    const [, field = ''] = /<TC260:AIGC>(.*)<\/TC260:AIGC>/.exec(String(xmp)) ?? []
    expect([JSON.parse(field.replaceAll('&quot;', '"')), width]).toEqual([FIELD, 640])
    const copy = path.join(folder, 'posterCopy.jpg')
    await copyFile(poster, copy)
    await marker.markPosterCopy(copy, FILM, poster, 'A watermark was added.')
    expect(await judge(await readFile(copy), 'image/jpeg')).toMatchObject({
      ...VALID,
      actions: ['c2pa.opened', 'c2pa.edited'],
      manifests: 2,
    })
  })
})

describe('the signer', () => {
  it('reports a file that it cannot sign, leaves nothing behind, and signs the next', async () => {
    const text = path.join(folder, 'text.mp4')
    await writeFile(text, 'no video')
    const job = { source: text, target: `${text}.signed`, format: 'video/mp4', manifest: NOTHING } as const
    await expect(signer.sign(job)).rejects.toThrow('cannot sign video/mp4')
    await expect(marker.markVideo(text, FILM)).rejects.toThrow()
    expect((await readdir(folder)).filter((name) => name.startsWith('text'))).toEqual(['text.mp4'])
    const next = path.join(folder, 'next.mp4')
    await copyFile(plain, next)
    await marker.markVideo(next, FILM)
    expect(await judgeVideo(next)).toMatchObject(VALID)
  })

  it('signs a clip in 50 ms of CPU time once it is warm, outside the main thread', async () => {
    const job = { source: plain, target: path.join(folder, 'clip.mp4'), format: 'video/mp4', field: '{}' } as const
    const spent = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
    const costs: number[] = []
    const mainCosts: number[] = []
    for (let run = 0; run < 5; run++) {
      const [whole, main] = [process.cpuUsage(), process.threadCpuUsage()]
      await signer.sign({ ...job, manifest: createdManifest(FILM.origin) })
      costs.push(spent(process.cpuUsage(whole)))
      mainCosts.push(spent(process.threadCpuUsage(main)))
    }
    const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[2]!
    if (!FULL) return
    expect(median(costs)).toBeLessThan(50)
    expect(median(mainCosts)).toBeLessThan(20)
  })
})

describe('the certificate of an installation', () => {
  it('is issued by a root whose key is not kept, for thirty years', async () => {
    const { certificates, key } = await issueCredential(Date.UTC(2026, 0, 1))
    const [own, root, ...others] = parseCredential(certificates, key).chain.map((raw) => new X509Certificate(raw))
    expect([others, own!.checkIssued(root!), root!.ca, own!.ca]).toEqual([[], true, true, false])
    expect(new Date(own!.validTo).getUTCFullYear()).toBe(2056)
    expect(certificates + key).toMatch(/PRIVATE KEY/)
    expect((certificates + key).match(/BEGIN [A-Z ]*PRIVATE KEY/g)).toHaveLength(1)
  })

  it('is refused with the key of another one', async () => {
    const [one, other] = [await issueCredential(Date.now()), await issueCredential(Date.now())]
    expect(() => parseCredential(one.certificates, other.key)).toThrow('does not fit')
    expect(() => parseCredential('', one.key)).toThrow('no certificate')
    expect(() => parseCredential(one.certificates, 'secret')).toThrow('no private key')
  })
})

describe('a COSE signature', () => {
  it.each([
    ['es384', '3822', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ps256', '3824', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ed25519', '27', () => generateKeyPairSync('ed25519')],
  ])('has the reserved size and verifies with %s', async (name, id, make) => {
    const { algorithmOf, coseSign1, reservedBytes } = await import('./coseSign1.ts')
    const { privateKey: key, publicKey } = make()
    const { hash, options, ...algorithm } = algorithmOf(key)
    expect(algorithm.name).toBe(name)
    const credential = { chain: [Buffer.alloc(700, 1), Buffer.alloc(500, 2)], key }
    for (const size of [reservedBytes(credential), reservedBytes(credential) + 255, 70_000]) {
      const structure = coseSign1(Buffer.from('a claim'), credential, size)
      expect(structure).toHaveLength(size)
      // The protected header is a map that begins with the algorithm, whose label is 1.
      expect(structure.subarray(5).toString('hex')).toMatch(new RegExp(`^a201${id}1821`))
      // The protected header follows the tag and the head of the array; the signature comes last.
      const length = structure.readUInt16BE(3)
      const toSign = Buffer.concat([
        Buffer.from('846a5369676e617475726531', 'hex'),
        structure.subarray(2, 5 + length),
        Buffer.from('4047', 'hex'),
        Buffer.from('a claim'),
      ])
      const signatureBytes = { es384: 96, ps256: 256, ed25519: 64 }[name]!
      expect(verify(hash, toSign, { key: publicKey, ...options }, structure.subarray(-signatureBytes))).toBe(true)
    }
  })
})
