import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { delimiter } from 'node:path'

/**
 * The packaged ffmpeg, the one on PATH, and those that `TEST_FFMPEGS` lists like PATH, each with its version. Releases differ
 * in how they fail and in what they can decode, so the suites of media run with each.
 */
export const FFMPEGS: readonly (readonly [version: string, path: string])[] = [
  packaged(),
  'ffmpeg',
  ...(process.env.TEST_FFMPEGS?.split(delimiter) ?? []),
].flatMap((path) => {
  const version = path && versionOf(path)
  return version ? [[version, path] as const] : []
})

function packaged(): string | undefined {
  try {
    return (createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string }).path
  } catch {
    // The package throws on platforms without a binary.
    return undefined
  }
}

function versionOf(path: string): string | undefined {
  try {
    return /^ffmpeg version \S+/.exec(execFileSync(path, ['-version'], { encoding: 'utf8', stdio: 'pipe' }))?.[0]
  } catch {
    return undefined
  }
}
