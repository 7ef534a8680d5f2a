import { readFile, writeFile } from 'node:fs/promises'
import { partPath, removeFile, writeAtomically } from './atomicFile.ts'
import { h264Arguments, runFfmpeg } from './ffmpeg.ts'
import { readImageHeader } from './imageFile.ts'
import { probeMp4 } from './probeMp4.ts'
import { drawInChild } from './stampsInChild.ts'

/** Visible marks of a copy. */
export interface Stamps {
  /** Text in the lower-right corner, throughout. */
  readonly watermark?: string | undefined
  /** Whether the start says that AI made the video. */
  readonly label?: boolean | undefined
}

type StampOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** Called with increasing percentages, up to 100. */
  onProgress?: (percent: number) => void
  ffmpegPath?: string | undefined
}>

/** GB 45438-2025 asks for two seconds at least. */
const LABEL_SECONDS = 3

/**
 * Copies a video with visible marks. Keeps audio unchanged and removes metadata.
 * @example await stampVideo('video.mp4', 'copy.mp4', { watermark: 'Kinora', label: true }, { signal })
 */
export async function stampVideo(src: string, out: string, stamps: Stamps, options: StampOptions = {}): Promise<void> {
  const { signal, onProgress, ffmpegPath } = options
  const { width, height, fps, duration } = await probeMp4(src)
  let percent = 0
  const onTime = (seconds: number) => {
    const next = Math.min(99, Math.floor((seconds / duration) * 100))
    if (next > percent) {
      percent = next
      onProgress?.(percent)
    }
  }
  const sound = ['-map', '0:a?', '-c:a', 'copy', '-progress', 'pipe:1']
  const encoding = [...sound, ...h264Arguments({ fps })]
  await stamp(out, stamps, Math.min(width, height), (inputs, part) =>
    // Explicit demuxers keep a crafted file from making ffmpeg open other files.
    runFfmpeg(['-f', 'mov', '-i', src, ...inputs, ...encoding, part], { signal, onTime, ffmpegPath }),
  )
  onProgress?.(100)
}

/**
 * Copies a JPEG with a watermark.
 * @example await stampImage('poster.jpg', 'copy.jpg', 'Kinora')
 */
export async function stampImage(src: string, out: string, watermark: string, options: StampOptions = {}) {
  const header = readImageHeader(await readFile(src))
  if (!header) throw new Error('the picture cannot be read')
  const encoding = ['-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p', '-f', 'image2', '-update', '1']
  const source = ['-f', 'image2', '-c:v', 'mjpeg', '-pattern_type', 'none', '-i', src]
  await stamp(out, { watermark }, Math.min(header.width, header.height), (inputs, part) =>
    runFfmpeg([...source, ...inputs, ...encoding, part], options),
  )
}

/** Writes `out` with `run`, which receives the arguments of ffmpeg that draw the stamps on its first input. */
async function stamp(
  out: string,
  stamps: Stamps,
  side: number,
  run: (inputs: readonly string[], part: string) => Promise<unknown>,
): Promise<void> {
  const overlays = (await overlaysOf(stamps, side)).map((overlay, n) => ({
    ...overlay,
    file: partPath(`${out}.${n}.png`),
  }))
  try {
    for (const { file, png } of overlays) await writeFile(file, png)
    await writeAtomically(out, (part) => run(stampArguments(overlays), part))
  } finally {
    for (const { file } of overlays) await removeFile(file)
  }
}

type Overlay = Readonly<{ png: Buffer; options: string }>

async function overlaysOf({ watermark, label }: Stamps, side: number): Promise<Overlay[]> {
  const margin = Math.round(side * 0.028)
  const overlays: Overlay[] = []
  if (watermark !== undefined) {
    const png = await drawInChild({ kind: 'watermark', text: watermark, side })
    overlays.push({ png, options: `W-w-${margin}:H-h-${margin}` })
  }
  if (label) {
    const png = await drawInChild({ kind: 'label', side })
    overlays.push({ png, options: `${margin}:${margin}:enable='lt(t,${LABEL_SECONDS})'` })
  }
  return overlays
}

function stampArguments(overlays: readonly (Overlay & { file: string })[]): string[] {
  const chain = overlays.map(
    ({ options }, n) => `[${n === 0 ? '0:v' : `v${n - 1}`}][${n + 1}:v]overlay=${options}[v${n}]`,
  )
  return [
    ...overlays.flatMap(({ file }) => ['-f', 'image2', '-c:v', 'png', '-pattern_type', 'none', '-i', file]),
    ...['-filter_complex', [...chain, `[v${chain.length - 1}]format=yuv420p[v]`].join(';')],
    ...['-map', '[v]', '-map_metadata', '-1'],
  ]
}
