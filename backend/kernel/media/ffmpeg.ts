import { type ChildProcess, execFile, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chmodSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import type { Readable, Writable } from 'node:stream'
import { collectTail, type Ended, explainStuck } from '../processes/runHere.ts'
import { runProgram } from '../processes/runProgram.ts'
import { type ProcessLimits, spawnLimited } from '../processes/spawnLimited.ts'

const require = createRequire(import.meta.url)
/** Oldest major version on PATH that is used; Debian 12 has 5. The packaged one, of 2018, is the last resort. */
const MIN_VERSION = 5
/** For videos and posters. Some builds leave one out. */
const ENCODERS = ['libx264', 'libwebp']
/** Generous for a video of ten seconds, which takes about ten seconds of CPU time. */
export const FFMPEG_LIMITS: ProcessLimits = { cpuSeconds: 900, memoryBytes: 4 * 2 ** 30, fileBytes: 2 * 2 ** 30 }
const TIMEOUT_MS = 30 * 60_000
const found = new Map<string, Promise<string>>()

/**
 * Finds an ffmpeg that encodes H.264 and WebP: the given path, `ffmpeg` on PATH from version 5, or the one from
 * `@ffmpeg-installer/ffmpeg`. See docs/decisions/0028-asvs-level-2.md.
 * The result is cached per path. @throws Error none was found
 */
export function findFfmpeg(explicitPath?: string): Promise<string> {
  const key = explicitPath ?? ''
  let search = found.get(key)
  if (!search) {
    search = searchFfmpeg(explicitPath)
    found.set(key, search)
    // Failures are not cached, so that installing ffmpeg does not require a restart.
    search.catch(() => found.delete(key))
  }
  return search
}

/** Returns the version of the ffmpeg that is used, and whether it is the packaged one of 2018. @throws as {@link findFfmpeg} */
export async function describeFfmpeg(explicitPath?: string): Promise<{ version: string; isPackaged: boolean }> {
  const program = await findFfmpeg(explicitPath)
  const [version = ''] = (await outputOf(program, ['-version'])).split(' Copyright')
  return { version, isPackaged: program === packagedFfmpeg() }
}

async function searchFfmpeg(explicitPath?: string): Promise<string> {
  if (explicitPath && (await hasEncoders(explicitPath))) return explicitPath
  if ((await majorVersion('ffmpeg')) >= MIN_VERSION && (await hasEncoders('ffmpeg'))) return 'ffmpeg'
  const packaged = packagedFfmpeg()
  if (packaged && (await hasEncoders(packaged))) return packaged
  throw new Error(
    `No ffmpeg ${MIN_VERSION} or later with ${ENCODERS.join(' and ')} was found; install it, or set FFMPEG_PATH`,
  )
}

function packagedFfmpeg(): string | undefined {
  try {
    const { path } = require('@ffmpeg-installer/ffmpeg') as { path: string }
    makeExecutable(path)
    return path
  } catch {
    // The package throws on platforms without a binary.
    return undefined
  }
}

/** Some package managers lose the executable bit. */
function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}

async function hasEncoders(path: string): Promise<boolean> {
  const listed = await outputOf(path, ['-hide_banner', '-encoders'])
  return ENCODERS.every((encoder) => listed.includes(` ${encoder} `))
}

/** Returns the major version of a release; infinity for a build of the development branch; 0 if there is none. */
async function majorVersion(path: string): Promise<number> {
  const [, version] = /^ffmpeg version n?(\S+)/.exec(await outputOf(path, ['-version'])) ?? []
  if (!version) return 0
  return Number(/^\d+/.exec(version)?.[0] ?? Number.POSITIVE_INFINITY)
}

/** Returns what a program prints; empty if it fails. */
function outputOf(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(path, args, { timeout: 10_000, maxBuffer: 1 << 20 }, (error, stdout) => resolve(error ? '' : stdout))
  })
}

export type H264Options = Readonly<{
  /** Frames per second of the output. */
  fps: number
  /** Constant rate factor. Lower values give higher quality and larger files. */
  crf?: number
  preset?: 'ultrafast' | 'superfast' | 'veryfast' | 'faster' | 'fast' | 'medium'
  threads?: number
}>

/** Returns output arguments for H.264 that every browser plays: 4:2:0, BT.709, index before the media data. */
export function h264Arguments({ fps, crf = 20, preset = 'veryfast', threads = 2 }: H264Options): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', preset, '-crf', String(crf), '-profile:v', 'high', '-pix_fmt', 'yuv420p'],
    ...['-g', String(Math.round(fps) * 2), '-threads', String(threads)],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
    ...['-movflags', '+faststart', '-f', 'mp4'],
  ]
}

export type RunOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** Called with the output position in seconds. Requires `-progress pipe:1` in the arguments. */
  onTime?: (seconds: number) => void
  ffmpegPath?: string | undefined
  limits?: ProcessLimits | undefined
}>

/** Returns the program and the arguments of an ffmpeg without network. */
const guarded = (args: readonly string[]) => [
  ...['-hide_banner', '-loglevel', 'error', '-y'],
  // Inputs are files or stdin, so that a crafted file cannot make it open an address.
  ...args.flatMap((arg) => (arg === '-i' ? ['-protocol_whitelist', 'file,pipe', '-i'] : [arg])),
]

/** The environment of ffmpeg, which has no secrets. It starts dozens of short threads, for each of which glibc would map memory of its own. */
const environment = () => ({ PATH: process.env.PATH, MALLOC_ARENA_MAX: '1' })

/** Starts ffmpeg as a child of this process, without network, and with limits on time, memory and output. */
export function startFfmpeg(program: string, args: readonly string[], stdio: StdioOptions, limits = FFMPEG_LIMITS) {
  const options = { env: environment(), stdio, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' } as const
  return spawnLimited(program, guarded(args), limits, options) as ChildProcess & Streams
}

type Streams = { readonly stdin: Writable; readonly stderr: Readable }

/**
 * Runs ffmpeg until it exits, without network, and with limits on time, memory and output. Rejects with the signal's reason
 * when aborted, else with the end of its error output.
 * @example await runFfmpeg(['-i', 'in.mp4', '-frames:v', '1', 'out.jpg'], { signal })
 */
export async function runFfmpeg(args: readonly string[], options: RunOptions = {}): Promise<void> {
  const { signal, onTime, limits = FFMPEG_LIMITS } = options
  signal?.throwIfAborted()
  const program = await findFfmpeg(options.ffmpegPath)
  const order = { program, args: guarded(['-nostdin', ...args]), env: environment(), limits, timeoutMs: TIMEOUT_MS }
  refuseFailure(await runProgram(order, { signal, onOutput: readProgress(onTime) }))
}

/** Waits until ffmpeg exits. @throws Error it failed; the message has the end of its error output */
export async function untilExit(child: ChildProcess & { readonly stderr: Readable }): Promise<void> {
  const errors = collectTail(child.stderr)
  const explain = explainStuck(child, FFMPEG_LIMITS)
  const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  refuseFailure({ code, killedBy, errors: explain(errors()) })
}

/** Some versions, such as the packaged one, exit with 0 when the end of a file cannot be written, as on a full disk. */
const UNFINISHED = 'Error writing trailer'

function refuseFailure({ code, killedBy, errors }: Ended): void {
  if (code !== 0 || errors.includes(UNFINISHED)) throw new Error(`ffmpeg ended with ${killedBy ?? code}: ${errors}`)
}

/** Returns a reader of the output of `-progress pipe:1`. */
function readProgress(onTime?: (seconds: number) => void): (piece: Uint8Array) => void {
  let rest = ''
  return (piece) => {
    const lines = (rest + Buffer.from(piece).toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      // Despite its name, out_time_ms is in microseconds.
      const match = /^out_time_[um]s=(\d+)/.exec(line)
      if (match) onTime?.(Number(match[1]) / 1e6)
    }
  }
}
