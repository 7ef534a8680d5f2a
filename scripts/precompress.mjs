import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const TEXT = new Set(['.js', '.css', '.svg', '.json', '.map', '.txt'])
const WORTHWHILE_BYTES = 1024

/** Writes a brotli and a gzip copy of each text file in a folder, so that the server need not compress responses. */
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
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
