/** A progressive JPEG may repeat tiny scans over a huge picture; real encoders use about ten. */
const MAX_SCANS = 100
/** Before the picture lie a few dozen segments at most. */
const MAX_SEGMENTS = 10_000

const SOS = 0xda
const EOI = 0xd9

export const isJpeg = (buffer: Buffer): boolean => buffer[0] === 0xff && buffer[1] === 0xd8 && buffer[2] === 0xff

interface Segment {
  readonly marker: number
  /** Where its length stands; for EOI, where the picture ends. */
  readonly at: number
}

/** Walks the segments (ITU-T T.81, annex B), past the data of each scan. Stops where the structure breaks. */
function* segments(buffer: Buffer): Generator<Segment> {
  let at = 2
  for (let count = 0; count < MAX_SEGMENTS && at + 2 <= buffer.length; count++) {
    if (buffer[at] !== 0xff) return
    // A marker may be padded with any number of 0xff.
    while (buffer[at + 1] === 0xff) at++
    const marker = buffer[at + 1]
    at += 2
    if (marker === undefined) return
    if (marker === EOI) return yield { marker, at }
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || at + 2 > buffer.length) return
    const next = at + buffer.readUInt16BE(at)
    if (next < at + 2 || next > buffer.length) return
    yield { marker, at }
    at = marker === SOS ? endOfScan(buffer, next) : next
  }
}

/** The next marker behind a scan's data, in which 0xff is followed by 0 or by a restart marker. */
function endOfScan(buffer: Buffer, from: number): number {
  for (let at = from; at + 1 < buffer.length; at++) {
    if (buffer[at] !== 0xff) continue
    const next = buffer[at + 1]!
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return buffer.length
}

/** SOF0 to SOF15, without the Huffman (C4), reserved (C8) and arithmetic (CC) tables between them. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Width and height in pixels, as the frame header says; undefined for what is no JPEG. */
export function jpegSize(buffer: Buffer): { width: number; height: number } | undefined {
  if (!isJpeg(buffer)) return undefined
  for (const { marker, at } of segments(buffer)) {
    if (isFrameHeader(marker))
      return at + 7 <= buffer.length
        ? { width: buffer.readUInt16BE(at + 5), height: buffer.readUInt16BE(at + 3) }
        : undefined
    // Data or an end before the frame header is no picture.
    if (marker === SOS || marker === EOI) return undefined
  }
  return undefined
}

/** Where the picture ends in the file; undefined when its frame, its scans or its end are missing, or are too many. */
export function jpegEnd(buffer: Buffer): number | undefined {
  let frames = 0
  let scans = 0
  for (const { marker, at } of segments(buffer)) {
    if (isFrameHeader(marker)) frames++
    if (marker === SOS) scans++
    if (frames > 1 || scans > MAX_SCANS) return undefined
    if (marker === EOI) return frames === 1 && scans > 0 ? at : undefined
  }
  return undefined
}
