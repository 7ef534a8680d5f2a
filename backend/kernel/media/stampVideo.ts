import { writeFile } from 'node:fs/promises'
import { partPath, removeFile, writeAtomically } from './atomicFile.ts'
import { h264Arguments, runFfmpeg } from './ffmpeg.ts'
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
  const overlays = (await overlaysOf(stamps, Math.min(width, height))).map((overlay, n) => ({
    ...overlay,
    file: partPath(`${out}.${n}.png`),
  }))
  let percent = 0
  const onTime = (seconds: number) => {
    const next = Math.min(99, Math.floor((seconds / duration) * 100))
    if (next > percent) {
      percent = next
      onProgress?.(percent)
    }
  }
  try {
    for (const { file, png } of overlays) await writeFile(file, png)
    await writeAtomically(out, (part) =>
      runFfmpeg(stampArguments(src, overlays, fps, part), { signal, onTime, ffmpegPath }),
    )
    onProgress?.(100)
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

function stampArguments(
  src: string,
  overlays: readonly (Overlay & { file: string })[],
  fps: number,
  part: string,
): string[] {
  const chain = overlays.map(
    ({ options }, n) => `[${n === 0 ? '0:v' : `v${n - 1}`}][${n + 1}:v]overlay=${options}[v${n}]`,
  )
  return [
    // Explicit demuxers keep a crafted file from making ffmpeg open other files.
    ...['-f', 'mov', '-i', src],
    ...overlays.flatMap(({ file }) => ['-f', 'image2', '-c:v', 'png', '-pattern_type', 'none', '-i', file]),
    ...['-filter_complex', [...chain, `[v${chain.length - 1}]format=yuv420p[v]`].join(';')],
    ...['-map', '[v]', '-map', '0:a?', '-c:a', 'copy', '-map_metadata', '-1', '-progress', 'pipe:1'],
    ...h264Arguments({ fps }),
    part,
  ]
}
