import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { must } from '../../must.ts'
import { insertXmp } from './aigcField.ts'
import { algorithmOf, coseSign1, reservedBytes } from './coseSign1.ts'
import type { Credential } from './credential.ts'
import { withField } from './fieldBoxes.ts'
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
const signer = {
  alg,
  reserveSize,
  sign: async (claim: Uint8Array) => new Uint8Array(coseSign1(claim, { ...credential, chain }, reserveSize)),
}

/** A fault of the library while it reads a parent. */
class ParentFault extends Error {}

async function signFile(job: SigningJob): Promise<Signed | undefined> {
  const { target, format, manifest, parent } = job
  const content = withMark(await readFile(job.source), job)
  if (!content) return undefined
  const settings = { verify: { verify_after_sign: false } }
  const builder = WasmBuilder.fromJson(JSON.stringify(manifest.definition), JSON.stringify(settings))
  try {
    const files = parent ? [parent] : (job.parts ?? [])
    for (const [n, file] of files.entries()) {
      const ingredient = new ReadableBlob(await readFile(file))
      const adding = builder.addIngredientFromBlob(JSON.stringify(manifest.ingredients?.[n]), format, ingredient)
      await adding.catch((cause: unknown) => {
        throw new ParentFault(String(cause))
      })
    }
    const signed = await builder.sign(signer, [], format, new ReadableBlob(content))
    await writeFile(target, signed)
    return { sha256: hash('sha256', signed) }
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
