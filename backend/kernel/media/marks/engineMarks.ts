import { type FileHandle, open } from 'node:fs/promises'

/** Marks that an engine has written into a video itself. */
export interface EngineMarks {
  /** Whether the file has a C2PA manifest. */
  readonly hasManifest: boolean
  /** The `AIGC` field as the engine wrote it. */
  readonly field: string | undefined
}

type TopBox = Readonly<{ type: string; from: number; size: number }>

/** Identifies the box of a C2PA manifest (ISO base media file, user type). */
const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')
const MAX_BOXES = 1_000
const MAX_INDEX_BYTES = 4 << 20
const FIELD = /\{"Label":[^{}]{0,2000}\}/

/**
 * Reads the marks of an MP4 file that an engine delivered. Files of other formats have none.
 * @example const { hasManifest, field } = await readEngineMarks(file)
 */
export async function readEngineMarks(file: string): Promise<EngineMarks> {
  const handle = await open(file)
  try {
    let [hasManifest, field] = [false, undefined as string | undefined]
    for await (const { type, from, size } of topBoxes(handle)) {
      if (type === 'uuid') hasManifest ||= (await read(handle, from, C2PA_UUID.length)).equals(C2PA_UUID)
      if (type === 'moov') field = FIELD.exec(String(await read(handle, from, Math.min(size, MAX_INDEX_BYTES))))?.[0]
    }
    return { hasManifest, field }
  } finally {
    await handle.close()
  }
}

const read = async (handle: FileHandle, from: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

/** Yields the boxes of the outermost level, each with the position and length of its content. */
async function* topBoxes(handle: FileHandle): AsyncGenerator<TopBox> {
  const { size: end } = await handle.stat()
  for (let [at, count] = [0, 0]; at + 8 <= end && count < MAX_BOXES; count++) {
    const header = await read(handle, at, 16)
    const short = header.readUInt32BE(0)
    const length = short === 1 && header.length === 16 ? Number(header.readBigUInt64BE(8)) : short || end - at
    const head = short === 1 ? 16 : 8
    if (length < head) return
    yield { type: header.toString('latin1', 4, 8), from: at + head, size: Math.min(length, end - at) - head }
    at += length
  }
}
