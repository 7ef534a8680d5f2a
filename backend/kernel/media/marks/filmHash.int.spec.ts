import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { box, children } from '../mp4Boxes.ts'
import { coseSign1, reservedBytes } from './coseSign1.ts'
import { parseCredential } from './credential.ts'
import { cutFilm, moveManifest } from './filmHash.ts'
import { issueCredential } from './issueCredential.ts'
import { createdManifest } from './manifest.ts'
import { createSigner } from './signInThread.ts'
import { judge, VALID } from './testing/readMarks.ts'

const ORIGIN = { source: 'algorithmicMedia', agent: null } as const

/** Signs a film with a credential of its own. */
async function openSigner() {
  const folder = await mkdtemp(path.join(tmpdir(), 'kinora-film-hash-'))
  const { certificates, key } = await issueCredential(Date.now())
  const credential = parseCredential(certificates, key)
  const signer = createSigner(async () => credential)
  onTestFinished(() => signer.close().then(() => rm(folder, { recursive: true })))
  const sign = async (film: Buffer) => {
    const [source, target] = [path.join(folder, 'film.mp4'), path.join(folder, 'signed.mp4')]
    await writeFile(source, film)
    await signer.sign({ source, target, format: 'video/mp4', manifest: createdManifest(ORIGIN) })
    return readFile(target)
  }
  return { credential, sign }
}

/** Returns the content of the box that follows a label of JUMBF. */
function contentAfter(file: Buffer, label: string): Buffer {
  const start = file.indexOf('cbor', file.lastIndexOf(`${label}\0`)) + 4
  return file.subarray(start, start - 8 + file.readUInt32BE(start - 8))
}

it('moves the manifest that the library makes for a skeleton to the film', async () => {
  const { credential, sign } = await openSigner()
  const { skeleton, data } = cutFilm(await readFile(await makeTinyVideo()))!
  const signed = await sign(skeleton)
  const made = { claim: contentAfter(signed, 'c2pa.claim.v2'), signature: contentAfter(signed, 'c2pa.signature') }
  const signAgain = (claim: Uint8Array) => coseSign1(claim, credential, reservedBytes(credential))
  expect(await judge(Buffer.concat([signed.subarray(0, -8), data]), 'video/mp4')).not.toMatchObject(VALID)
  const copy = { claim: Buffer.from(made.claim), signature: Buffer.from(made.signature) }
  const head = moveManifest(signed, data, copy, signAgain)!
  expect(await judge(Buffer.concat([head, data]), 'video/mp4')).toMatchObject(VALID)
  const changed = Buffer.from(data)
  changed[changed.length - 1]! ^= 1
  expect(await judge(Buffer.concat([head, changed]), 'video/mp4')).not.toMatchObject(VALID)
})

it('leaves films of other shapes, and manifests of other forms, to the library', async () => {
  const { sign } = await openSigner()
  const film = await readFile(await makeTinyVideo())
  const { skeleton, data } = cutFilm(film)!
  expect(cutFilm(Buffer.concat([film, box('free', Buffer.alloc(4))]))).toBeUndefined()
  expect(cutFilm(Buffer.concat([film, box('mdat', Buffer.alloc(4))]))).toBeUndefined()
  const none = new Uint8Array(32)
  expect(moveManifest(skeleton, data, { claim: none, signature: none }, () => none)).toBeUndefined()
  const trailed = await sign(Buffer.concat([film, box('free', Buffer.alloc(4))]))
  expect([...children(trailed)].at(-1)?.type).toBe('free')
  expect(await judge(trailed, 'video/mp4')).toMatchObject(VALID)
})
