import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { collectBuffersWithHeap, STARTED } from '#backend/kernel/processes/starting.ts'

/**
 * Runs a bundled server with the functions that an earlier start compiled. The compile cache of Node.js holds only
 * what is compiled when a file is loaded, but V8 compiles most functions when they are called.
 * @param file the server as a CommonJS function in ASCII
 * @param hash of its content, because V8 compares only the length
 */
export function runServer(file: URL, hash: string): void {
  // V8 rejects code that was compiled with other flags.
  collectBuffersWithHeap()
  const filename = fileURLToPath(file)
  const folder = getCompileCacheDir()
  const kept = folder && path.join(folder, `${path.basename(filename)}-${hash}`)
  const cachedData = kept ? readIntact(kept) : undefined
  const script = new Script(readFileSync(filename, 'latin1'), { filename: file.href, cachedData })
  if (kept && (!cachedData || script.cachedDataRejected))
    STARTED.subscribe(() => setImmediate(() => keep(script, kept)))
  script.runInThisContext()(createRequire(file), filename, path.dirname(filename), (name: string) => import(name))
}

const CHECKSUM_BYTES = 4

/** Reads compiled code. Undefined if it is missing or damaged, which V8 does not notice: the process would crash. */
function readIntact(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    const code = bytes.subarray(CHECKSUM_BYTES)
    return bytes.readUInt32LE() === crc32(code) ? code : undefined
  } catch {
    return undefined
  }
}

/** Writes what is compiled to a file, after its checksum. Without it, the next start only takes longer. */
function keep(script: Script, file: string): void {
  const part = `${file}.${process.pid}`
  try {
    const code = script.createCachedData()
    const checksum = Buffer.alloc(CHECKSUM_BYTES)
    checksum.writeUInt32LE(crc32(code))
    writeFileSync(part, Buffer.concat([checksum, code]))
    renameSync(part, file)
  } catch {}
}
