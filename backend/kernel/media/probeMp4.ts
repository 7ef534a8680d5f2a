import { type BoxFile, children, withBoxes } from './mp4Boxes.ts'

export type VideoInfo = Readonly<{
  /** File size in bytes. */
  size: number
  /** Dimensions in pixels as displayed, with the track's rotation applied. */
  width: number
  height: number
  /** In seconds. */
  duration: number
  frames: number
  fps: number
  /** Four-character codec code of the video track, such as `avc1` for H.264. */
  codec: string
  /** Whether the index precedes the media data, so that playback can start before the whole file is loaded. */
  faststart: boolean
}>

/** Thrown for a file that is not a playable MP4: another type, truncated, or without a video track. */
export class UnplayableVideoError extends Error {
  override name = 'UnplayableVideoError'
}

const MAX_INDEX_BYTES = 64 << 20

type Layout = Readonly<{ size: number; index: Buffer; indexAt: number; dataAt: number }>

/**
 * Reads video properties from the box headers and the index of an MP4, without reading its frames.
 * @throws UnplayableVideoError
 * @example const { duration, width, height } = await probeMp4('video.mp4')
 */
export const probeMp4 = (path: string): Promise<VideoInfo> =>
  withLayout(path, ({ size, index, indexAt, dataAt }) => ({
    size,
    ...readVideoTrack(findVideoTrack(index)),
    faststart: indexAt < dataAt,
  }))

/**
 * Refuses a file that is not a complete MP4 with a video track and frames. The index of a fragmented one (`mvex`) has no
 * frames to check; `probeMp4` reads it after a remux. @throws UnplayableVideoError
 */
export const refuseUnplayable = (path: string): Promise<void> =>
  withLayout(path, ({ index }) => {
    const track = findVideoTrack(index)
    if (!children(index).some(({ type }) => type === 'mvex')) readVideoTrack(track)
  })

/** Returns whether an MP4 has a sound track. @throws UnplayableVideoError */
export const hasSound = (path: string): Promise<boolean> =>
  withLayout(path, ({ index }) => tracksOf(index, 'soun').next().value !== undefined)

/** Opens an MP4 file to read its index, and parts of the file. @throws UnplayableVideoError */
export async function withLayout<T>(
  path: string,
  work: (layout: Layout, read: BoxFile['read']) => T | Promise<T>,
): Promise<T> {
  try {
    return await withBoxes(path, async (file) => work(await readLayout(file), file.read))
  } catch (error) {
    if (error instanceof RangeError) throw new UnplayableVideoError('a box is damaged', { cause: error })
    throw error
  }
}

async function readLayout(file: BoxFile): Promise<Layout> {
  let index: Buffer | undefined
  let indexAt = -1
  let dataAt = -1
  for await (const { type, at, from, end } of file.boxes()) {
    if (at === 0 && type !== 'ftyp') throw new UnplayableVideoError('not an MP4 file')
    if (end > file.size) throw new UnplayableVideoError(`truncated: the ${type} box is cut short`)
    if (type === 'mdat' && dataAt < 0) dataAt = at
    if (type === 'moov') {
      if (end - from > MAX_INDEX_BYTES) throw new UnplayableVideoError('the index is too large')
      indexAt = at
      index = await file.read(from, end)
    }
  }
  if (!index) throw new UnplayableVideoError('truncated: there is no index')
  if (dataAt < 0) throw new UnplayableVideoError('there is no data')
  return { size: file.size, index, indexAt, dataAt }
}

function child(box: Buffer, name: string): Buffer {
  for (const { type, body } of children(box)) if (type === name) return body
  throw new UnplayableVideoError(`there is no ${name} box`)
}

/** Returns the content of a box that is in others. @throws UnplayableVideoError there is none */
export const descend = (box: Buffer, ...path: string[]): Buffer => path.reduce(child, box)

function* tracksOf(index: Buffer, kind: 'vide' | 'soun'): Generator<Buffer, undefined> {
  for (const { type, body } of children(index)) {
    if (type === 'trak' && descend(body, 'mdia', 'hdlr').toString('latin1', 8, 12) === kind) yield body
  }
}

export function findVideoTrack(index: Buffer): Buffer {
  const { value } = tracksOf(index, 'vide').next()
  if (!value) throw new UnplayableVideoError('there is no video track')
  return value
}

function readVideoTrack(track: Buffer): Omit<VideoInfo, 'size' | 'faststart'> {
  const media = descend(track, 'mdia')
  const samples = descend(media, 'minf', 'stbl')
  const description = descend(samples, 'stsd')
  const { timescale, ticks } = readDuration(descend(media, 'mdhd'))
  const frames = countFrames(descend(samples, 'stts'))
  const duration = ticks / timescale
  const size = readFrameSize(description, descend(track, 'tkhd'))
  if (!frames || !(duration > 0) || !size.width || !size.height) throw new UnplayableVideoError('there are no frames')
  const fps = Number(((frames * timescale) / ticks).toFixed(3))
  return { ...size, duration, frames, fps, codec: description.toString('latin1', 12, 16) }
}

export function readDuration(box: Buffer): { timescale: number; ticks: number } {
  return box[0] === 1
    ? { timescale: box.readUInt32BE(20), ticks: Number(box.readBigUInt64BE(24)) }
    : { timescale: box.readUInt32BE(12), ticks: box.readUInt32BE(16) }
}

function countFrames(timeToSample: Buffer): number {
  let frames = 0
  const runs = timeToSample.readUInt32BE(4)
  for (let run = 0; run < runs; run++) frames += timeToSample.readUInt32BE(8 + run * 8)
  return frames
}

function readFrameSize(description: Buffer, trackHeader: Buffer): { width: number; height: number } {
  const width = description.readUInt16BE(40)
  const height = description.readUInt16BE(42)
  // A matrix that starts with a zero and a non-zero value rotates the video by 90 or 270 degrees.
  const matrix = trackHeader.subarray(trackHeader[0] === 1 ? 52 : 40)
  const turned = matrix.readInt32BE(0) === 0 && matrix.readInt32BE(4) !== 0
  return turned ? { width: height, height: width } : { width, height }
}
