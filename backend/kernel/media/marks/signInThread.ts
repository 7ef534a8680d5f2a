import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Pool } from '../../pool.ts'
import type { Credential } from './credential.ts'
import type { Manifest } from './manifest.ts'

/** A file to sign. All paths are absolute. */
export interface SigningJob {
  readonly source: string
  /** Where to write the signed file, which may replace the source. */
  readonly target: string
  readonly format: 'video/mp4' | 'image/jpeg'
  readonly manifest: Manifest
  /** XMP that a JPEG gets before it is signed. */
  readonly xmp?: string
  /** `AIGC` field that a video gets before it is signed. */
  readonly field?: string
  /** The file that `source` was made from. It becomes the ingredient. */
  readonly parent?: string
  /** Files that parts of `source` were made from. They become ingredients, in the order of the manifest's. */
  readonly parts?: readonly string[]
}

/** A file that was signed. */
export interface Signed {
  /** SHA-256 in hex. */
  readonly sha256: string
}

/** Thrown for a parent that cannot become the ingredient, such as one with a damaged manifest. */
export class UnreadableParentError extends Error {
  override name = 'UnreadableParentError'
}

export interface Signer {
  /**
   * Writes a copy of a file with a signed manifest. Returns undefined, and writes nothing, if only ffmpeg can add the field.
   * @throws UnreadableParentError @throws Error it could not be signed in time
   */
  sign(job: SigningJob): Promise<Signed | undefined>
  close(): Promise<void>
}

const PROGRAM = new URL('./signingThread.ts', import.meta.url)
const TIMEOUT_MS = 60_000
/** A thread that has loaded the library holds about 100 MB, so it ends when there is nothing to sign. */
const IDLE_MS = 5 * 60_000

/**
 * Signs files in a worker thread, one after the other, and pictures first: their films are almost finished.
 * @example await signer.sign({ source, target, format: 'video/mp4', manifest: createdManifest() })
 */
export function createSigner(credential: () => Promise<Credential>): Signer {
  let thread: Worker | undefined
  const turns = new Pool(1)
  let idle: NodeJS.Timeout | undefined

  const end = async () => {
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }

  const start = (workerData: Credential) => {
    const started = new Worker(PROGRAM, { workerData })
    const forget = () => {
      if (thread === started) thread = undefined
    }
    // Between two jobs nobody else listens. The job at work, if any, hears of it too.
    started.on('error', forget)
    started.on('exit', forget)
    return started
  }

  const signNext = async (job: SigningJob) => {
    clearTimeout(idle)
    thread ??= start(await credential())
    // A thread at work keeps the process alive, an idle one does not.
    thread.ref()
    try {
      return await runJob(thread, job)
    } catch (error) {
      // What a failed job left in the memory of the library is unknown.
      await end()
      throw error
    } finally {
      thread?.unref()
      idle = setTimeout(end, IDLE_MS).unref()
    }
  }

  return {
    sign: (job) => turns.run({ priority: job.format === 'image/jpeg' ? 1 : 2 }, () => signNext(job)),
    async close() {
      await turns.run({ priority: 3 }, end)
      clearTimeout(idle)
    },
  }
}

/** Signs one file. @throws Error the fault that the thread reports, or that it did not answer */
async function runJob(thread: Worker, job: SigningJob): Promise<Signed | undefined> {
  const over = new AbortController()
  const timeout = setTimeout(() => over.abort(new Error('signing took too long')), TIMEOUT_MS)
  const exited = once(thread, 'exit', { signal: over.signal }).then(() => ({ fault: 'the thread ended' }))
  try {
    thread.postMessage(job)
    const [answer] = await Promise.race([once(thread, 'message', { signal: over.signal }), exited.then((end) => [end])])
    if (!answer.fault) return answer.signed
    const FaultError = answer.isOfParent ? UnreadableParentError : Error
    throw new FaultError(`cannot sign ${job.format}: ${answer.fault}`)
  } finally {
    clearTimeout(timeout)
    exited.catch(() => {})
    over.abort()
  }
}
