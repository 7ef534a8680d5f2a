import { buffer } from 'node:stream/consumers'
import { ImageError, normaliseImage } from './firstFrame.ts'

// The program of the child process that `normaliseInChild` starts: a picture comes in, a JPEG or an error's code goes out.

try {
  const { data } = await normaliseImage(await buffer(process.stdin))
  process.stdout.write(data)
} catch (error) {
  process.stderr.write(error instanceof ImageError ? error.code : String(error))
  process.exitCode = 1
}
