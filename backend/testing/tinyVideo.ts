import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findFfmpeg } from '../kernel/media/ffmpeg.ts'

/** Renders a one-second video in a temporary folder and returns its path. */
export async function makeTinyVideo(): Promise<string> {
  const video = path.join(await mkdtemp(path.join(os.tmpdir(), 'kinora-double-')), 'video.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=duration=1:size=128x72:rate=24', '-pix_fmt', 'yuv420p']
  await promisify(execFile)(await findFfmpeg(), ['-y', ...source, '-movflags', '+faststart', video])
  return video
}
