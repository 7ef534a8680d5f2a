import { type FileHandle, open } from 'node:fs/promises'

/** A box of the outermost level of an MP4 file (ISO/IEC 14496-12). Positions and lengths are in bytes. */
export interface TopBox {
  /** Four characters, such as `moov`. */
  readonly type: string
  readonly at: number
  /** Position of the content. */
  readonly from: number
  /** Position after the box, which is beyond the end of a file that was cut short. */
  readonly end: number
}

export interface BoxFile {
  /** In bytes. */
  readonly size: number
  /** Yields the boxes in order. @throws RangeError a header is impossible, or there are too many */
  boxes(): AsyncGenerator<TopBox>
  /** Returns the bytes from `from` to `to`, exclusive; fewer at the end of the file. */
  read(from: number, to: number): Promise<Buffer>
}

const MAX_BOXES = 10_000
/** Bytes read at once: enough for the index of a short video and all that precedes it. */
const WINDOW_BYTES = 64 << 10

/**
 * Opens an MP4 file to read its boxes. Small parts next to each other take one read.
 * @example await withBoxes('video.mp4', async (file) => { for await (const { type } of file.boxes()) console.log(type) })
 */
export async function withBoxes<T>(path: string, work: (file: BoxFile) => Promise<T>): Promise<T> {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const read = readThroughWindow(handle)
    return await work({ size, read, boxes: () => boxesOf(size, read) })
  } finally {
    await handle.close()
  }
}

function readThroughWindow(handle: FileHandle): BoxFile['read'] {
  let [start, window] = [0, Buffer.alloc(0)]
  return async (from, to) => {
    if (from < start || to > start + window.length) {
      const wanted = Buffer.allocUnsafe(Math.max(to - from, WINDOW_BYTES))
      const { bytesRead } = await handle.read(wanted, 0, wanted.length, from)
      start = from
      window = wanted.subarray(0, bytesRead)
    }
    return window.subarray(from - start, to - start)
  }
}

async function* boxesOf(size: number, read: BoxFile['read']): AsyncGenerator<TopBox> {
  for (let at = 0, count = 0; at + 8 <= size; count++) {
    if (count === MAX_BOXES) throw new RangeError('there are too many boxes')
    const { type, length, header } = parseHeader(await read(at, at + 16), size - at)
    yield { type, at, from: at + header, end: at + length }
    at += length
  }
}

/**
 * Parses a box header. A length of 0 extends to the end of what is available; 1 means that a 64-bit length follows.
 * @throws RangeError the length is impossible
 */
function parseHeader(head: Buffer, available: number): { type: string; length: number; header: number } {
  const type = head.toString('latin1', 4, 8)
  const short = head.readUInt32BE(0)
  const header = short === 1 ? 16 : 8
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? available : short
  if (length < header) throw new RangeError('a box has an impossible length')
  return { type, length, header }
}

/** Yields the boxes in the content of another, or in a whole file. @throws RangeError one is cut short */
export function* children(box: Buffer): Generator<{ type: string; body: Buffer }> {
  let position = 0
  while (position + 8 <= box.length) {
    const { type, length, header } = parseHeader(box.subarray(position), box.length - position)
    if (position + length > box.length) throw new RangeError(`the ${type} box is cut short`)
    yield { type, body: box.subarray(position + header, position + length) }
    position += length
  }
}

/** Returns a box. @example box('free', Buffer.alloc(8)) @throws RangeError it is too large for a short header */
export const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const made = Buffer.concat([Buffer.alloc(8), ...content])
  made.writeUInt32BE(made.length, 0)
  made.write(type, 4, 'latin1')
  return made
}
