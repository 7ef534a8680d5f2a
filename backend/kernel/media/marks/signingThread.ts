import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, writevSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { must } from '../../must.ts'
import { insertXmp } from './aigcField.ts'
import type { Credential } from './credential.ts'
import { withField } from './fieldBoxes.ts'
import type { Signed, SigningJob } from './signInThread.ts'
import { createStores, signFilm, signPicture } from './signOriginal.ts'

const { key, chain } = workerData as Credential
const credential = { key, chain: chain.map((certificate) => Buffer.from(certificate)) }

/** Signs a file. Waits for the disk: this thread does nothing else, and each file call of the pool takes two more turns of threads. */
async function signFile(job: SigningJob): Promise<Signed | undefined> {
  const parts = await signContent(readFileSync(job.source), job)
  if (!parts) return undefined
  writeParts(job.target, parts)
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return { sha256: sum.digest('hex') }
}

/**
 * Signs a file, with the library if it has ingredients. That one is loaded when it is first needed, because it takes a quarter of a
 * second and 100 MB. Returns the parts of the signed file.
 */
async function signContent(content: Buffer, job: SigningJob): Promise<Buffer[] | undefined> {
  const { manifest, field, xmp } = job
  const stores = createStores(credential, manifest.definition.assertions)
  const marked = xmp === undefined ? content : insertXmp(content, xmp)
  if (!manifest.ingredients && job.format === 'image/jpeg') return signPicture(marked, stores)
  if (!manifest.ingredients && field !== undefined) return signFilm(content, field, stores)
  const boxes = field === undefined ? [marked] : withField(content, field)
  const { signWithLibrary } = await import('./signWithLibrary.ts')
  return boxes && [await signWithLibrary(Buffer.concat(boxes), job, credential)]
}

function writeParts(file: string, parts: readonly Buffer[]): void {
  const target = openSync(file, 'w')
  try {
    for (let left = [...parts]; left.length > 0; ) {
      let written = writevSync(target, left)
      while (left[0] && written >= left[0].length) written -= left.shift()!.length
      if (left[0]) left[0] = left[0].subarray(written)
    }
  } finally {
    closeSync(target)
  }
}

const parent = must(parentPort, 'parent port')
parent.on('message', async (job: SigningJob) => {
  const answer = await signFile(job).then(
    (signed) => ({ signed }),
    (error: unknown) => ({ fault: String(error), isOfParent: (error as Error).name === 'ParentFault' }),
  )
  parent.postMessage(answer)
})
