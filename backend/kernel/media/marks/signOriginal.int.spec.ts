import { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { box, children } from '../mp4Boxes.ts'
import { algorithmOf } from './coseSign1.ts'
import { parseCredential } from './credential.ts'
import { certify, issueCredential } from './issueCredential.ts'
import { createdManifest, type ReceiptAssertion } from './manifest.ts'
import { createStores, signFilm as filmParts, signPicture as pictureParts, type Stores } from './signOriginal.ts'
import { judge, VALID } from './testing/readMarks.ts'

const RECEIPT: ReceiptAssertion = {
  ...{ version: 1, installation: 'https://video.example.com', task: '0198c2a0', model: '海螺', credits: 30 },
  ...{ engine: 'demo', engine_model: null, hold: { event: 'ab'.repeat(32), position: '12' } },
  head: { size: 2 ** 33, root: 'cd'.repeat(32), createdAt: '2026-01-01T00:00:00.000Z' },
}
const [FIELD, VIDEO, PICTURE] = ['{"Label":"1"}', 'video/mp4', 'image/jpeg']

async function storesOf({ agent = '海螺 02', receipt, keys }: StoreOptions = {}): Promise<Stores> {
  const { certificates, key } = await (keys ? certify(keys, Date.now()) : issueCredential(Date.now()))
  const { definition } = createdManifest({ source: 'trainedAlgorithmicMedia', agent }, receipt)
  return createStores(parseCredential(certificates, key), definition.assertions)
}
type StoreOptions = Readonly<{ agent?: string; receipt?: ReceiptAssertion; keys?: CryptoKeyPair }>

const signFilm = (content: Buffer, stores: Stores) => Buffer.concat(filmParts(content, FIELD, stores)!)
const signPicture = (content: Buffer, stores: Stores) => Buffer.concat(pictureParts(content, stores))
const film = async () => readFile(await makeTinyVideo())
const picture = () =>
  sharp({ create: { width: 64, height: 36, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()

describe('an original', () => {
  const ecdsa = (namedCurve: string) => ({ name: 'ECDSA', namedCurve })
  const rsa = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' }
  it.each([
    ['es256', ecdsa('P-256')],
    ['es384', ecdsa('P-384')],
    ['es512', ecdsa('P-521')],
    ['ps256', { name: 'RSASSA-PKCS1-v1_5', ...rsa }],
    ['ed25519', { name: 'Ed25519' }],
  ])('that a key for %s signed is valid, as a film and as a picture', async (name, algorithm) => {
    const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
    expect(algorithmOf(KeyObject.from(keys.privateKey)).name).toBe(name)
    const expected = { ...VALID, actions: ['c2pa.created'], sources: ['trainedAlgorithmicMedia'], agents: ['海螺 02'] }
    for (const receipt of [undefined, RECEIPT]) {
      const stores = await storesOf({ keys, ...(receipt && { receipt }) })
      expect(await judge(signFilm(await film(), stores), VIDEO)).toEqual({ ...expected, manifests: 1 })
      expect(await judge(signPicture(await picture(), stores), PICTURE)).toEqual({ ...expected, manifests: 1 })
    }
  })

  it('is valid with a manifest that takes several segments of a JPEG', async () => {
    const agent = 'x'.repeat(200_000)
    const signed = signPicture(await picture(), await storesOf({ agent }))
    expect(await judge(signed, PICTURE)).toMatchObject({ ...VALID, agents: [agent] })
    expect((await sharp(signed).metadata()).width).toBe(64)
  })

  it('is valid with data in several boxes', async () => {
    const [content, end] = [await film(), box('mdat')]
    const signed = signFilm(Buffer.concat([content, end, end]), await storesOf())
    expect([...children(signed)].map(({ type }) => type)).toEqual(['ftyp', 'uuid', 'moov', 'mdat', 'mdat', 'mdat'])
    expect(await judge(signed, VIDEO)).toMatchObject(VALID)
  })
})

describe('a change', () => {
  /** Returns positions from one to another, of which each byte's neighbours are at most a step away. */
  const positions = (from: number, to: number) =>
    [...Array(Math.ceil((to - from) / 101)).keys()].map((n) => from + n * 101).concat(to - 1)
  const judgeChanged = async (content: Buffer, format: string, at: number) => {
    const changed = Buffer.from(content)
    changed[at]! ^= 1
    return judge(changed, format).catch(() => ({ state: 'Unreadable' }))
  }

  it('anywhere in a film after its type is detected, and so is more at its end', async () => {
    const signed = signFilm(await film(), await storesOf())
    const [manifest, ...hashed] = [...children(signed)].slice(1)
    for (const { body } of hashed) {
      const from = body.byteOffset - signed.byteOffset
      for (const at of positions(from - 8, from + body.length))
        expect(await judgeChanged(signed, VIDEO, at), `byte ${at}`).not.toMatchObject({ state: 'Valid' })
    }
    expect(await judgeChanged(signed, VIDEO, signed.indexOf('trained'))).toMatchObject({ state: 'Invalid' })
    expect(manifest!.type).toBe('uuid')
    for (const more of [box('free', Buffer.alloc(8)), box('mdat'), box('uuid', Buffer.alloc(16))])
      expect(await judge(Buffer.concat([signed, more]), VIDEO)).toMatchObject({ state: 'Invalid' })
  })

  it('anywhere in a picture outside of its manifest is detected', async () => {
    const signed = signPicture(await picture(), await storesOf())
    const start = signed.indexOf('ffeb', 'hex')
    const end = start + 2 + signed.readUInt16BE(start + 2)
    for (const at of [...positions(2, start), ...positions(end, signed.length)])
      expect(await judgeChanged(signed, PICTURE, at), `byte ${at}`).not.toMatchObject({ state: 'Valid' })
  })
})
