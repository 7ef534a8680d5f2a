import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import load, { WasmBuilder } from '@contentauth/c2pa-wasm'
import { algorithmOf, coseSign1, reservedBytes } from './coseSign1.ts'
import type { Credential } from './credential.ts'
import type { SigningJob } from './signInThread.ts'

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

const wasm = createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')
const loaded = load({ module_or_path: await readFile(wasm) })

/** A fault of the library while it reads a parent. */
class ParentFault extends Error {
  override name = 'ParentFault'
}

/** Signs a file with the library, which reads the ingredients. @throws ParentFault */
export async function signWithLibrary(content: Buffer, job: SigningJob, credential: Credential): Promise<Buffer> {
  await loaded
  const { format, manifest, parent, parts } = job
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
    const reserveSize = reservedBytes(credential)
    const sign = async (claim: Uint8Array) => new Uint8Array(coseSign1(Buffer.from(claim), credential, reserveSize))
    const signer = { alg: algorithmOf(credential.key).name, reserveSize, sign }
    return Buffer.from(await builder.sign(signer, [], format, new ReadableBlob(content)))
  } finally {
    builder.free()
  }
}
