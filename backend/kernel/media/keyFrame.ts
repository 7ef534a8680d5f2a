import { box, children } from './mp4Boxes.ts'
import { descend, findVideoTrack, readDuration, withLayout } from './probeMp4.ts'

const TYPE = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1'))
/** Boxes that describe the track of a video, by the box that they are in. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  trak: ['tkhd', 'mdia'],
  mdia: ['mdhd', 'hdlr', 'minf'],
  minf: ['vmhd', 'dinf', 'stbl'],
  stbl: ['stsd'],
}

/** Far above the samples and the bytes of a short film's frame. A crafted index claims billions. */
const MAX_SAMPLES = 1_000_000
const MAX_FRAME_BYTES = 64 << 20

/** A sample of a track. */
interface Sample {
  /** Position in the file. */
  readonly from: number
  readonly length: number
  /** Number of its entry in `stsd`. */
  readonly description: number
}

/**
 * Returns an MP4 of one frame: the last key frame of a video up to a time in seconds. A decoder that is given the video takes as many as
 * that reorders. Returns undefined for a video without such a frame in its index, such as a fragmented one, or with an index for more
 * than 4 GB or a million frames.
 * @throws UnplayableVideoError
 */
export const readKeyFrame = (path: string, at: number): Promise<Buffer | undefined> =>
  withLayout(path, async ({ index }, read) => {
    const track = findVideoTrack(index)
    const media = descend(track, 'mdia')
    const tables = descend(media, 'minf', 'stbl')
    const ticks = at * readDuration(descend(media, 'mdhd')).timescale
    const sample = findSample(tables, lastKey(tables, sampleAt(descend(tables, 'stts'), ticks)))
    if (!sample || sample.length > MAX_FRAME_BYTES) return undefined
    const data = Buffer.from(await read(sample.from, sample.from + sample.length))
    return Buffer.concat([
      TYPE,
      box('mdat', data),
      box('moov', box('mvhd', descend(index, 'mvhd')), copyOf('trak', track, sample)),
    ])
  })

/** Copies a box of the track, with tables for a single sample at the start of the data. */
function copyOf(type: string, body: Buffer, sample: Sample): Buffer {
  const kept = KEPT[type]
  if (!kept) return box(type, body)
  const parts = [...children(body)].filter((child) => kept.includes(child.type))
  const copies = parts.map((child) => copyOf(child.type, child.body, sample))
  if (type !== 'stbl') return box(type, ...copies)
  const table = (name: string, ...numbers: number[]) =>
    box(name, Buffer.from(Uint32Array.from([0, ...numbers]).buffer).swap32())
  return box(
    type,
    ...copies,
    table('stts', 1, 1, 1),
    table('stsc', 1, 1, 1, sample.description),
    table('stsz', sample.length, 1),
    table('stco', 1, TYPE.length + 8),
  )
}

const findTable = (tables: Buffer, name: string) => [...children(tables)].find(({ type }) => type === name)?.body

/** Returns the number of the sample that is decoded at a time, counted from 1. */
function sampleAt(times: Buffer, ticks: number): number {
  let [before, time] = [0, 0]
  for (let run = 0; run < times.readUInt32BE(4); run++) {
    const [count, each] = [times.readUInt32BE(8 + 8 * run), times.readUInt32BE(12 + 8 * run)]
    if (time + count * each > ticks) return before + 1 + Math.floor((ticks - time) / each)
    before += count
    time += count * each
  }
  return before
}

/** Returns the number of the last key frame up to a sample, or 0. Without a table, all samples are key frames. */
function lastKey(tables: Buffer, sample: number): number {
  const keys = findTable(tables, 'stss')
  if (!keys) return sample
  let last = 0
  for (let n = 0; n < keys.readUInt32BE(4); n++) {
    const key = keys.readUInt32BE(8 + 4 * n)
    if (key <= sample) last = key
  }
  return last
}

function findSample(tables: Buffer, wanted: number): Sample | undefined {
  const [sizes, runs, chunks] = ['stsz', 'stsc', 'stco'].map((name) => findTable(tables, name))
  if (!sizes || !runs || !chunks || wanted === 0) return undefined
  if (Math.max(wanted, chunks.readUInt32BE(4)) > MAX_SAMPLES) return undefined
  const sizeOf = (sample: number) => sizes.readUInt32BE(4) || sizes.readUInt32BE(8 + 4 * sample)
  let first = 1
  for (let chunk = 1, run = 0; chunk <= chunks.readUInt32BE(4); chunk++) {
    if (run + 1 < runs.readUInt32BE(4) && runs.readUInt32BE(8 + 12 * (run + 1)) === chunk) run++
    const next = first + runs.readUInt32BE(12 + 12 * run)
    if (wanted < next) {
      let from = chunks.readUInt32BE(4 + 4 * chunk)
      for (let sample = first; sample < wanted; sample++) from += sizeOf(sample)
      return { from, length: sizeOf(wanted), description: runs.readUInt32BE(16 + 12 * run) }
    }
    first = next
  }
  return undefined
}
