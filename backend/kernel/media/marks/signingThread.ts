import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { must } from '../../must.ts'
import { insertXmp } from './aigcField.ts'
import { algorithmOf, coseSign1, reservedBytes } from './coseSign1.ts'
import type { Credential } from './credential.ts'
import { withField } from './fieldBoxes.ts'
import { cutFilm, moveManifest } from './filmHash.ts'
import type { Signed, SigningJob } from './signInThread.ts'

/** A Blob whose bytes can be read synchronously. It copies none of them. */
class ReadableBlob extends Blob {
  readonly content: Uint8Array
  constructor(content: Uint8Array) {
    super()
    this.content = content
  }
  override get size(): number {
    return this.content.length
  }
  override slice(from = 0, to = this.size): ReadableBlob {
    return new ReadableBlob(this.content.subarray(from, to))
  }
}

// The library reads its input with FileReaderSync, which only the workers of browsers have.
Object.assign(globalThis, {
  FileReaderSync: class {
    readAsArrayBuffer = ({ content }: ReadableBlob) => new Uint8Array(content).buffer
  },
})

const { default: load, WasmBuilder } = await import('@contentauth/c2pa-wasm')
const wasm = createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')
await load({ module_or_path: await readFile(wasm) })

const credential = workerData as Credential
const chain = credential.chain.map((certificate) => Buffer.from(certificate))
const alg = algorithmOf(credential.key).name
const reserveSize = reservedBytes(credential)
const sign = (claim: Uint8Array) => new Uint8Array(coseSign1(claim, { ...credential, chain }, reserveSize))

/** A fault of the library while it reads a parent. */
class ParentFault extends Error {}

async function signFile(job: SigningJob): Promise<Signed | undefined> {
  const content = withMark(await readFile(job.source), job)
  if (!content) return undefined
  const signed = (job.format === 'video/mp4' && (await signFilm(content, job))) || [
    (await signWhole(content, job)).signed,
  ]
  await writeFile(job.target, signed)
  const sum = createHash('sha256')
  for (const part of signed) sum.update(part)
  return { sha256: sum.digest('hex') }
}

/** Signs a film by its skeleton. Returns its parts, or undefined if it has to be signed whole. */
async function signFilm(content: Buffer, job: SigningJob): Promise<Buffer[] | undefined> {
  const film = cutFilm(content)
  if (!film) return undefined
  const { signed, ...claim } = await signWhole(film.skeleton, job)
  const head = moveManifest(signed, film.data, claim, sign)
  return head && [head, film.data]
}

/** Signs a file with the library. */
async function signWhole(content: Buffer, { format, manifest, parent, parts }: SigningJob) {
  const settings = { verify: { verify_after_sign: false } }
  const builder = WasmBuilder.fromJson(JSON.stringify(manifest.definition), JSON.stringify(settings))
  try {
    const files = parent ? [parent] : (parts ?? [])
    for (const [n, file] of files.entries()) {
      const ingredient = new ReadableBlob(await readFile(file))
      const adding = builder.addIngredientFromBlob(JSON.stringify(manifest.ingredients?.[n]), format, ingredient)
      await adding.catch((cause: unknown) => {
        throw new ParentFault(String(cause))
      })
    }
    const made = { claim: new Uint8Array(), signature: new Uint8Array() }
    const signLast = async (claim: typeof made.claim) =>
      Object.assign(made, { claim, signature: sign(claim) }).signature
    const signer = { alg, reserveSize, sign: signLast }
    const signed = Buffer.from(await builder.sign(signer, [], format, new ReadableBlob(content)))
    return { signed, ...made }
  } finally {
    builder.free()
  }
}

function withMark(content: Buffer, { xmp, field }: SigningJob): Buffer | undefined {
  if (xmp !== undefined) return insertXmp(content, xmp)
  return field === undefined ? content : withField(content, field)
}

const parent = must(parentPort, 'parent port')
parent.on('message', async (job: SigningJob) => {
  const answer = await signFile(job).then(
    (signed) => ({ signed }),
    (error: unknown) => ({ fault: String(error), isOfParent: error instanceof ParentFault }),
  )
  parent.postMessage(answer)
})
