import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const TEXT = new Set(['.js', '.css', '.svg', '.json', '.map', '.txt', '.wasm'])
const WORTHWHILE_BYTES = 1024
const LARGE_BYTES = 2 ** 20

/** Writes a brotli and a gzip copy of each file in a folder that shrinks, so that the server need not compress responses. */
export function precompress(folder) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) precompress(file)
    else if (TEXT.has(path.extname(entry.name))) compressFile(file)
  }
}

function compressFile(file) {
  const bytes = readFileSync(file)
  if (bytes.length < WORTHWHILE_BYTES) return
  // The reader of content credentials has 9 MB, for which the best quality takes half a minute.
  const quality = bytes.length > LARGE_BYTES ? 9 : 11
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
