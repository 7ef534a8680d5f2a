import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFfmpeg, runFfmpeg } from '../ffmpeg.ts'
import { box, children } from '../mp4Boxes.ts'
import { probeMp4 } from '../probeMp4.ts'
import { aigcField } from './aigcField.ts'
import { withField } from './fieldBoxes.ts'
import { readAigc } from './testing/readMarks.ts'

const FIELD = aigcField({ producer: 'Kinora "测试"', id: 'task' })
const SECRET = 'a secret workflow'
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=128x72:rate=24']
const SOUND = ['-f', 'lavfi', '-i', 'sine=duration=2']
const H264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-g', '12']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kinora-field-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function make(name: string, ...args: string[]): Promise<string> {
  const file = path.join(folder, name)
  await runFfmpeg([...args, file])
  return file
}

async function write(name: string, content: Buffer): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, content)
  return file
}

/** Returns the packets of all streams with their times and hashes. */
async function packetsOf(file: string): Promise<string> {
  const args = ['-v', 'error', '-i', file, '-map', '0', '-c', 'copy', '-f', 'framemd5', '-']
  const { stdout } = await promisify(execFile)(await findFfmpeg(), args)
  return stdout.replace(/^#.*$/gm, '')
}

/** Returns a box of the path as a part of the file. */
const boxIn = (file: Buffer, ...names: string[]) =>
  names.reduce((parent, name) => [...children(parent)].find(({ type }) => type === name)!.body, file)

const marked = (file: Buffer, field = FIELD) => Buffer.concat(withField(file, field)!)
const plain = () => make('plain.mp4', ...PICTURE, ...H264)

describe('a video with the field', () => {
  it.each([
    ['with its index in front', [...PICTURE, ...H264, '-movflags', '+faststart']],
    ['with its index at the end', [...PICTURE, ...H264]],
    ['with sound', [...PICTURE, ...SOUND, ...H264, '-c:a', 'aac']],
    ['with frames out of order that starts late', [...PICTURE, ...H264, '-bf', '3', '-output_ts_offset', '0.5']],
    ['that is turned', [...PICTURE, ...H264, '-metadata:s:v', 'rotate=90']],
  ])('%s has the same frames at the same times, and its index in front', async (name, args) => {
    const file = await make('before.mp4', ...args)
    const after = await write(`${name}.mp4`, marked(await readFile(file)))
    expect(await packetsOf(after)).toBe(await packetsOf(file))
    const { size: _, faststart: __, ...properties } = await probeMp4(file)
    expect(await probeMp4(after)).toMatchObject({ ...properties, faststart: true })
    expect(await readAigc(after)).toEqual(JSON.parse(FIELD))
  })

  it('has no other metadata', async () => {
    const named = ['-metadata', `comment=${SECRET}`, '-metadata:s:v', `handler_name=${SECRET}`]
    const times = ['-metadata', 'creation_time=2026-01-02T03:04:05Z']
    const file = await readFile(await make('named.mp4', ...PICTURE, ...H264, ...named, ...times))
    const more = Buffer.concat([file, box('free', Buffer.from(SECRET)), box('uuid', Buffer.alloc(16, SECRET))])
    const after = marked(more)
    for (const text of [SECRET, 'Lavf', 'Lavc']) expect(withoutData(after).includes(text), text).toBe(false)
    expect(boxIn(after, 'moov', 'mvhd').subarray(4, 12)).toEqual(Buffer.alloc(8))
    expect([...children(after)].map(({ type }) => type)).toEqual(['ftyp', 'moov', 'mdat'])
  })

  it('has the field once, although the file had one', async () => {
    const file = await readFile(await plain())
    const once = marked(file, aigcField({ producer: 'An engine', id: 'job' }))
    expect(marked(once)).toEqual(marked(file))
  })

  it('takes data from boxes with lengths of 64 bits, and from several', async () => {
    const file = await readFile(await make('short.mp4', ...PICTURE, ...H264, '-movflags', '+faststart'))
    const data = boxIn(file, 'mdat')
    const end = data.byteOffset - file.byteOffset - 8
    const chunks = boxIn(file, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stco')
    expect(chunks.readUInt32BE(4)).toBe(1)
    const long = Buffer.concat([number(1), Buffer.from('mdat'), Buffer.alloc(8)])
    long.writeBigUInt64BE(BigInt(data.length + 16), 8)
    const moved = Buffer.from(file.subarray(0, end))
    boxIn(moved, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stco').writeUInt32BE(end + 16 + 8, 8)
    const split = Buffer.concat([moved, box('mdat'), long, data])
    const [before, after] = [await write('split.mp4', split), await write('joined.mp4', marked(split))]
    expect(await packetsOf(after)).toBe(await packetsOf(before))
  })
})

describe('a file that is left to ffmpeg', () => {
  const changed = async (change: (file: Buffer) => unknown) => {
    const file = Buffer.from(await readFile(await plain()))
    const other = change(file)
    return Buffer.isBuffer(other) ? other : file
  }
  const files: readonly (readonly [string, () => Promise<Buffer>])[] = [
    [
      'is fragmented',
      async () =>
        readFile(await make('f.mp4', ...PICTURE, ...H264, '-movflags', '+empty_moov+default_base_moof+frag_keyframe')),
    ],
    ['is of QuickTime', async () => readFile(await make('q.mov', ...PICTURE, ...H264))],
    ['has two pictures', async () => readFile(await make('two.mp4', ...PICTURE, ...H264, '-map', '0', '-map', '0'))],
    [
      'has a track of text',
      async () => {
        const text = await write('text.srt', Buffer.from(`1\n00:00:00,000 --> 00:00:01,000\n${SECRET}\n`))
        return readFile(await make('t.mp4', ...PICTURE, '-i', text, ...H264, '-c:s', 'mov_text'))
      },
    ],
    ['has data of no track', () => changed((file) => Buffer.concat([file, box('mdat', Buffer.from(SECRET))]))],
    ['is cut short', () => changed((file) => file.subarray(0, -20))],
    ['has no index', () => changed((file) => file.write('free', file.indexOf('moov')))],
    ['refers to another file', () => changed((file) => file.writeUInt8(0, file.indexOf('url ') + 7))],
    ['has a chunk elsewhere', () => changed((file) => file.writeUInt32BE(1, file.indexOf('stco') + 12))],
    ['is no MP4', async () => Buffer.from('no video')],
  ]
  it.each(files)('%s', async (_, make) => {
    expect(withField(await make(), FIELD)).toBeUndefined()
  })
})

/** Returns a file without the frames, in which x264 names itself. */
const withoutData = (file: Buffer) => {
  const data = boxIn(file, 'mdat')
  return file.subarray(0, data.byteOffset - file.byteOffset)
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
