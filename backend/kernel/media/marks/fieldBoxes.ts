import { box, children } from '../mp4Boxes.ts'

/** Boxes that a copy keeps, by the box that they are in. All others hold metadata, or describe what is not kept. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  moov: ['mvhd', 'trak'],
  trak: ['tkhd', 'edts', 'mdia'],
  mdia: ['mdhd', 'hdlr', 'minf'],
  minf: ['vmhd', 'smhd', 'dinf', 'stbl'],
  stbl: 'stsd stts ctts cslg stss stsc stsz stco sgpd sbgp sdtp'.split(' '),
}
/** Files with one of these anywhere in the index, or with tracks of other kinds, are left to ffmpeg. */
const UNKNOWN = ['mvex', 'cmov', 'stz2', 'co64', 'saio', 'senc']
const HANDLERS: Readonly<Record<string, string>> = { vide: 'VideoHandler', soun: 'SoundHandler' }
const SELF_CONTAINED = Buffer.from('0000000000000001' + '0000000c75726c2000000001', 'hex')
/** Position and length of the name of the encoder in the first visual sample entry of `stsd` (ISO/IEC 14496-12, 12.1.3). */
const COMPRESSOR = [58, 90] as const
const MAX_BYTES = 2 ** 32 - 1

/** Returns where the data at an offset of the file are in the copy. */
type Move = (offset: number) => number

/** A file that is left to ffmpeg. */
class Unsupported extends Error {}

function require(condition: unknown, lacking: string): asserts condition {
  if (!condition) throw new Unsupported(lacking)
}

function only(parent: Buffer, name: string): Buffer {
  const [found, ...others] = [...children(parent)].filter(({ type }) => type === name)
  require(found && others.length === 0, name)
  return found.body
}

/**
 * Returns the boxes of a copy of an MP4 file with the `AIGC` field, its index in front, and no other metadata: as ffmpeg would write it
 * with `-c copy`, without its start, which takes 80 ms with some builds. Returns undefined for a file that only ffmpeg can
 * copy: a fragmented one, one with tracks other than a video and sound, one with data of no track, or a damaged one.
 * @param room bytes to leave for a box after the first one
 * @example await writeFile('marked.mp4', withField(await readFile('video.mp4'), field))
 */
export function withField(file: Buffer, field: string, room = 0): Buffer[] | undefined {
  try {
    return rewrite(file, field, room)
  } catch (error) {
    if (error instanceof Unsupported || error instanceof RangeError) return undefined
    throw error
  }
}

function rewrite(file: Buffer, field: string, room: number): Buffer[] {
  const top = [...children(file)]
  const bodies = (name: string) => top.filter(({ type }) => type === name).map(({ body }) => body)
  const [types, [index, ...others], data] = [bodies('ftyp'), bodies('moov'), bodies('mdat')]
  require(types[0] && types[0].toString('latin1', 0, 4) !== 'qt  ', 'a QuickTime file')
  require(index && others.length === 0 && bodies('moof').length === 0, 'no single index')
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  require(sum(readTracks(index)) === sum(data.map(({ length }) => length)), 'data of no track')

  const head = box('ftyp', types[0])
  const write = (move: Move) => box('moov', copyOf('moov', index, move), fieldBox(field))
  let at = head.length + room + write((offset) => offset).length
  const moves = data.map((body) => {
    const from = body.byteOffset - file.byteOffset
    const to = at + 8
    at = to + body.length
    return { from, end: from + body.length, by: to - from }
  })
  require(at <= MAX_BYTES, 'too large')
  const moved = write((offset) => {
    const move = moves.find(({ from, end }) => offset >= from && offset <= end)
    require(move, 'a chunk outside the data')
    return offset + move.by
  })
  return [head, moved, ...data.map((body) => dataBox(file, body))]
}

/** Returns the box of the data. Does not copy them from the file, unless their header there is of another kind. */
function dataBox(file: Buffer, data: Buffer): Buffer {
  const start = data.byteOffset - file.byteOffset
  const found = file.subarray(start - 8, start + data.length)
  return found.readUInt32BE(0) === found.length ? found : box('mdat', data)
}

/** Returns the bytes of the samples of each track. */
function readTracks(index: Buffer): number[] {
  const tracks = [...children(index)].filter(({ type }) => type === 'trak')
  const kinds: string[] = []
  const bytes = tracks.map(({ body }) => {
    const media = only(body, 'mdia')
    const info = only(media, 'minf')
    const samples = only(info, 'stbl')
    for (const each of [index, body, media, info, samples])
      for (const { type } of children(each)) require(!UNKNOWN.includes(type), type)
    kinds.push(only(media, 'hdlr').toString('latin1', 8, 12))
    require(only(only(info, 'dinf'), 'dref').equals(SELF_CONTAINED), 'data elsewhere')
    require(only(samples, 'stsd').readUInt32BE(4) === 1, 'several descriptions')
    return sampleBytes(only(samples, 'stsz'))
  })
  require(kinds.every((kind) => kind in HANDLERS), 'other tracks')
  require(kinds.filter((kind) => kind === 'vide').length === 1, 'not one video')
  return bytes
}

function sampleBytes(sizes: Buffer): number {
  const [each, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)]
  if (each > 0) return each * count
  let bytes = 0
  for (let n = 0; n < count; n++) bytes += sizes.readUInt32BE(12 + 4 * n)
  return bytes
}

/** Returns the content of a box without metadata, and with the offsets of its chunks moved. */
function copyOf(type: string, body: Buffer, move: Move, isVideo = false): Buffer {
  const kept = KEPT[type]
  if (kept) {
    const parts = [...children(body)].filter((child) => kept.includes(child.type))
    const inVideo = isVideo || parts.some((child) => child.type === 'vmhd')
    return Buffer.concat(parts.map((child) => box(child.type, copyOf(child.type, child.body, move, inVideo))))
  }
  const copy = Buffer.from(body)
  // Times of creation and modification, which follow the version and the flags.
  if (['mvhd', 'tkhd', 'mdhd'].includes(type)) return copy.fill(0, 4, copy[0] === 1 ? 20 : 12)
  if (type === 'hdlr') {
    const name = HANDLERS[copy.toString('latin1', 8, 12)]
    return Buffer.concat([copy.subarray(0, 24), Buffer.from(`${name}\0`)])
  }
  if (type === 'stsd' && isVideo) return copy.fill(0, ...COMPRESSOR)
  if (type === 'stco')
    for (let n = 0; n < copy.readUInt32BE(4); n++) copy.writeUInt32BE(move(copy.readUInt32BE(8 + 4 * n)), 8 + 4 * n)
  return copy
}

/** Returns the field as metadata of QuickTime with a key, which is how ffmpeg writes and reads it. */
function fieldBox(field: string): Buffer {
  const key = Buffer.from('AIGC')
  const handler = Buffer.concat([Buffer.alloc(8), Buffer.from('mdta'), Buffer.alloc(13)])
  const keys = box('keys', number(0), number(1), number(8 + key.length), Buffer.from('mdta'), key)
  // A value of UTF-8 text in no particular language, under the number of its key.
  const value = box('data', number(1), number(0), Buffer.from(field))
  const list = box('ilst', box(number(1).toString('latin1'), value))
  return box('udta', box('meta', number(0), box('hdlr', handler), keys, list))
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
