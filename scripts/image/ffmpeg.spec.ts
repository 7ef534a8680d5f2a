import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cropVideo } from '#backend/kernel/media/cropVideo.ts'
import { filmFromFrames } from '#backend/kernel/media/filmFromFrames.ts'
import { joinVideos } from '#backend/kernel/media/joinVideos.ts'
import { box, children } from '#backend/kernel/media/mp4Boxes.ts'
import { ROOT } from '../run.mjs'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-image-ffmpeg-'))
afterAll(() => rmSync(folder, { recursive: true }))

const silent = path.join(ROOT, 'site/public/templates/fox.mp4')
const [loud, copy, out] = ['loud.mp4', 'copy.mp4', 'out.mp4'].map((name) => path.join(folder, name)) as [
  string,
  string,
  string,
]
const log = path.join(folder, 'arguments')

/** Stands in for ffmpeg: writes each of its arguments to a line of the log, and an empty file. */
const ffmpegPath = path.join(folder, 'ffmpeg')
writeFileSync(
  ffmpegPath,
  `#!/bin/sh
case "$*" in *-encoders) echo ' libx264  libwebp '; exit;; esac
printf '%s\\n' "$@" >>'${log}'
for last; do :; done
: >"$last"
`,
  { mode: 0o755 },
)

/** Returns a film with a sound track. */
function withSound(film: Buffer): Buffer {
  const handler = box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0soun', 'latin1'))
  const track = box('trak', box('mdia', handler))
  return Buffer.concat(
    [...children(film)].map(({ type, body }) => box(type, body, ...(type === 'moov' ? [track] : []))),
  )
}

const script = readFileSync(path.join(import.meta.dirname, 'ffmpeg.sh'), 'utf8')
const enabled = (kind: string) =>
  [...script.matchAll(new RegExp(`--enable-${kind}=([\\w,]+)`, 'g'))].flatMap(([, names = '']) => names.split(','))

/** Returns the names of the filters of a graph. */
const filtersIn = (graph: string) =>
  graph
    .replace(/'[^']*'|\[\w+(?::\w+)*\]/g, '')
    .split(/[;,]/)
    .map((filter) => filter.replace(/=.*/, ''))

describe('the ffmpeg of the image', () => {
  it('has each filter and input format by which films are joined, cut to a ratio and made of frames', async () => {
    writeFileSync(loud, withSound(readFileSync(silent)))
    writeFileSync(copy, '')
    const clips = [silent, loud].map((file) => ({ file, start: 0, end: 2 }))
    await joinVideos(clips, out, { fade: 0.5, temporaryDir: folder, ffmpegPath })
    await cropVideo(copy, '1:1', { ffmpegPath })
    await filmFromFrames(folder, 'png', out, { fps: 16, ffmpegPath })

    const given = readFileSync(log, 'utf8').split('\n')
    const valuesOf = (option: string) => given.filter((_, n) => given[n - 1] === option)
    const filters = [...valuesOf('-filter_complex'), ...valuesOf('-vf')].flatMap(filtersIn)
    expect(filters).toEqual(expect.arrayContaining(['color', 'amerge', 'crop', 'scale']))
    expect(filters.filter((name) => !enabled('filter').includes(name))).toEqual([])
    const formats = [...enabled('demuxer'), ...enabled('muxer')]
    expect(valuesOf('-f')).toContain('concat')
    expect(valuesOf('-f').filter((name) => !formats.includes(name))).toEqual([])
  })
  it('has the filters that it inserts by itself for a film that is shown turned', () => {
    expect(enabled('filter')).toEqual(expect.arrayContaining(['transpose', 'hflip', 'vflip']))
  })
})
