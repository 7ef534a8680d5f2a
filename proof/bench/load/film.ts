import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { renderNoise } from '../films/renderNoise.ts'

/** Returns a film that the double delivers, and describes it. @param kind `tiny`, or `768P`: six seconds in the size of MiniMax */
export async function makeFilm(kind: string) {
  const file = kind === 'tiny' ? await makeTinyVideo() : path.join(tmpdir(), `kinora-load-${process.pid}.mp4`)
  if (kind !== 'tiny') await renderNoise(file, { size: '1366x768', seconds: 6, megabits: 2.7 })
  const { width, height, duration, size } = await probeMp4(file)
  const video = await readFile(file)
  if (kind !== 'tiny') await rm(file)
  return { video, description: `${width}x${height}, ${duration} s, ${(size / 1e6).toFixed(2)} MB` }
}
