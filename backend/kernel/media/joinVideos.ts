import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { writeAtomically } from './atomicFile.ts'
import { h264Arguments, type RunOptions, runFfmpeg } from './ffmpeg.ts'
import { hasSound, probeMp4 } from './probeMp4.ts'

/** A part of a video file. Times in seconds. */
export interface Clip {
  readonly file: string
  readonly start: number
  readonly end: number
}

type JoinOptions = Pick<RunOptions, 'signal' | 'ffmpegPath'> & {
  /** Seconds in which a clip dissolves into the next one. */
  readonly fade: number
  readonly temporaryDir: string
  /** Called with increasing percentages, up to 100. */
  readonly onProgress?: (percent: number) => void
}

const MAX_FPS = 60

/** A part of a file: seconds at which it starts, and frames of the film. */
type Shot = Readonly<{ file: string; start: number; frames: number; sound: boolean }>
type Format = Readonly<{ width: number; height: number; fps: number; sound: boolean }>

/** Frames of one clip, or of two of the same length that dissolve. */
type Piece = readonly Shot[]

/**
 * Joins parts of videos to one MP4 file, in the size of the first and with the most frames per second of any. Smaller ones get
 * black bars, silent ones silence. Each piece is encoded alone, so that memory does not grow with the number of clips.
 * @throws UnplayableVideoError
 * @example await joinVideos([{ file: 'a.mp4', start: 0, end: 6 }, { file: 'b.mp4', start: 1, end: 4 }], 'film.mp4', { fade: 0.5, temporaryDir })
 */
export async function joinVideos(
  clips: readonly Clip[],
  out: string,
  { fade, temporaryDir, onProgress, ...options }: JoinOptions,
): Promise<void> {
  const { shots, format } = await readShots(clips)
  const pieces = piecesOf(shots, Math.round(fade * format.fps), format.fps)
  const total = pieces.reduce((sum, [{ frames } = { frames: 0 }]) => sum + frames, 0)
  const folder = await mkdtemp(path.join(temporaryDir, 'join-'))
  try {
    let done = 0
    for (const [n, piece] of pieces.entries()) {
      await runFfmpeg([...pieceArguments(piece, format), path.join(folder, `${n}.mov`)], options)
      done += piece[0]!.frames
      onProgress?.(Math.floor((done / total) * 95))
    }
    const list = path.join(folder, 'list.txt')
    await writeFile(list, pieces.map((_, n) => `file ${n}.mov\n`).join(''))
    const sound = format.sound ? ['-c:a', 'aac', '-b:a', '192k'] : []
    const copy = ['-f', 'concat', '-i', list, '-map_metadata', '-1', '-c:v', 'copy', ...sound]
    await writeAtomically(out, (part) => runFfmpeg([...copy, '-movflags', '+faststart', '-f', 'mp4', part], options))
    onProgress?.(100)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readShots(clips: readonly Clip[]) {
  // One after the other: an index can have megabytes.
  const read = []
  for (const clip of clips) read.push({ ...clip, video: await probeMp4(clip.file), sound: await hasSound(clip.file) })
  const [first] = read
  if (!first) throw new RangeError('there is no clip')
  const even = (pixels: number) => Math.max(2, Math.floor(pixels / 2) * 2)
  const format = {
    width: even(first.video.width),
    height: even(first.video.height),
    fps: Math.min(MAX_FPS, Math.max(...read.map(({ video }) => video.fps))),
    sound: read.some(({ sound }) => sound),
  }
  const shots = read.map(({ file, start, end, video, sound }) => {
    const frames = Math.max(1, Math.round((Math.min(end, video.duration) - start) * format.fps))
    return { file, start, frames, sound }
  })
  return { shots, format }
}

/** Cuts shots into what dissolves and what does not. A fade is at most half of the shortest shot. */
function piecesOf(shots: readonly Shot[], wanted: number, fps: number): Piece[] {
  const fade = Math.min(wanted, ...shots.map(({ frames }) => Math.floor(frames / 2)))
  const part = (shot: Shot, from: number, frames: number) => ({ ...shot, start: shot.start + from / fps, frames })
  return shots.flatMap((shot, n) => {
    const next = fade > 0 ? shots[n + 1] : undefined
    const from = n > 0 ? fade : 0
    const end = shot.frames - (next ? fade : 0)
    const middle = end > from ? [[part(shot, from, end - from)]] : []
    return next ? [...middle, [part(shot, end, fade), part(next, 0, fade)]] : middle
  })
}

/** Returns the arguments of ffmpeg that encode a piece, without the file to write. They suit every version, so none uses `xfade`. */
function pieceArguments(piece: Piece, { width, height, fps, sound }: Format): string[] {
  const frames = piece[0]!.frames
  const seconds = frames / fps
  const inputs = piece.flatMap(({ file, start }) => [
    // A second more, in case that the frames of a file are not where its frame rate puts them.
    ...['-ss', start.toFixed(6), '-t', (seconds + 1).toFixed(6), '-f', 'mov', '-i', file],
  ])
  const fit = `fps=${fps},scale=${width}:${height}:force_original_aspect_ratio=decrease,setsar=1`
  const shown = piece.map(
    (_, n) =>
      `color=black:s=${width}x${height}:r=${fps}:d=${seconds + 1}[back${n}];[${n}:v]${fit}[fit${n}];` +
      // Repeats the last frame of a file that is too short.
      `[back${n}][fit${n}]overlay=(W-w)/2:(H-h)/2:eof_action=repeat[shown${n}]`,
  )
  const dissolved = piece[1]
    ? [`[shown1]format=yuva420p,fade=t=in:alpha=1:s=0:n=${frames}[over]`, '[shown0][over]overlay,format=yuv420p[v]']
    : ['[shown0]format=yuv420p[v]']
  const filters = [...shown, ...dissolved, ...(sound ? soundFilters(piece, seconds) : [])]
  return [
    ...[...inputs, '-filter_complex', filters.join(';'), '-map', '[v]', '-frames:v', String(frames)],
    ...(sound ? ['-map', '[a]', '-c:a', 'pcm_s16le'] : []),
    ...[...h264Arguments({ fps }), '-r', String(fps), '-video_track_timescale', '90000', '-f', 'mov'],
  ]
}

/** Returns filters that make stereo of exactly the length of a piece. Stored uncompressed, pieces join without gaps. */
function soundFilters(piece: Piece, seconds: number): string[] {
  const exact = `aresample=48000,aformat=channel_layouts=stereo,apad,atrim=0:${seconds}`
  const heard = piece.map(({ sound }, n) =>
    sound ? `[${n}:a:0]${exact}` : `anullsrc=r=48000:cl=stereo,atrim=0:${seconds}`,
  )
  if (heard.length === 1) return [`${heard[0]}[a]`]
  return [
    `${heard[0]},afade=t=out:d=${seconds}[a0]`,
    `${heard[1]},afade=t=in:d=${seconds}[a1]`,
    '[a0][a1]amerge,pan=stereo|c0=c0+c2|c1=c1+c3[a]',
  ]
}
