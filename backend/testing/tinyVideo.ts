import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findFfmpeg } from '../kernel/media/ffmpeg.ts'

let folder: string | undefined

/** Returns the path of a one-second video, which the first caller of a test run renders. */
export async function makeTinyVideo(): Promise<string> {
  folder ??= process.env.KINORA_TEST_TEMPLATE ?? makeFolder()
  const video = path.join(folder, 'tinyVideo.mp4')
  if (existsSync(video)) return video
  const rendered = path.join(folder, `${randomUUID()}.mp4`)
  const source = ['-f', 'lavfi', '-i', 'testsrc=duration=1:size=128x72:rate=24', '-pix_fmt', 'yuv420p']
  await promisify(execFile)(await findFfmpeg(), ['-y', ...source, '-movflags', '+faststart', rendered])
  await rename(rendered, video)
  return video
}

/** Creates a folder that is removed when the process ends. */
function makeFolder(): string {
  const made = mkdtempSync(path.join(os.tmpdir(), 'kinora-double-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  return made
}
