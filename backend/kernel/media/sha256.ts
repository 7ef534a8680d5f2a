import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Returns the SHA-256 of a stream in hex. @example await sha256OfStream(media.read(videoKey(taskId))) */
export async function sha256OfStream(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(stream, hash)
  return hash.digest('hex')
}

/** Returns the SHA-256 of a file in hex. @example await sha256OfFile('/tmp/video.mp4') */
export const sha256OfFile = (file: string): Promise<string> => sha256OfStream(createReadStream(file))
