import wasm from '@contentauth/c2pa-wasm/c2pa.wasm?url'
import address from './reader.worker.ts?worker&url'
import type { Reading } from './readFile.ts'

/** Addresses of what reads files. */
export const READER: readonly string[] = [address, wasm]

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** A large film on a slow phone. */
const TIMEOUT_MS = 5 * 60_000

/** The policy of the page allows this name, which may be used once. */
const { trustedTypes } = globalThis as { trustedTypes?: Policies }
const policy = trustedTypes?.createPolicy('verify', { createScriptURL: () => address })
let worker: Worker | undefined
let isBusy = false

/** Starts the reader, or returns the one that is there. One at work on another file is ended. */
function idleReader(): Worker {
  if (isBusy) end()
  worker ??= new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' })
  return worker
}

function end(): void {
  worker?.terminate()
  worker = undefined
  isBusy = false
}

/** Reads a file in a worker. Ends the reading of an earlier one. @throws Error the reader broke, as hostile files can make it */
export async function readInWorker(file: File, anchors: string, signal: AbortSignal): Promise<Reading> {
  const reader = idleReader()
  isBusy = true
  try {
    const reading = await new Promise<Reading>((resolve, reject) => {
      const timer = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
      timer.addEventListener('abort', () => reject(timer.reason))
      reader.onmessage = ({ data }) => (data.reading ? resolve(data.reading) : reject(new Error(data.fault)))
      reader.onerror = (event) => reject(new Error(event.message))
      reader.postMessage({ wasm, file, anchors })
    })
    isBusy = false
    return reading
  } catch (error) {
    // What the file left in the memory of the reader is unknown.
    if (worker === reader) end()
    throw error
  }
}
