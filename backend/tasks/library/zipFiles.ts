import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { makeZip } from 'client-zip'

export interface ZippedFile {
  readonly name: string
  readonly at: Date
  readonly open: () => Readable
}

/** Streams files as a zip without compressing them. A file is opened when the reader has taken those before it. */
export function zipFiles(files: AsyncIterable<ZippedFile>): Readable {
  const taken = new Set<string>()
  let current: Readable | undefined
  const zip = Readable.fromWeb(makeZip(opened()) as ReadableStream)
  // The zip writer leaves the file that it reads open when its reader leaves.
  return zip.once('close', () => current?.destroy())

  async function* opened() {
    for await (const { name, at, open } of files) {
      if (zip.destroyed) return
      current = open()
      yield { name: take(name, taken), lastModified: at, input: current }
    }
  }
}

/** Returns a name that no file has yet, whatever its case, and takes it. */
function take(name: string, taken: Set<string>): string {
  let [free, count] = [name, 1]
  while (taken.has(free.toLowerCase())) free = numbered(name, ++count)
  taken.add(free.toLowerCase())
  return free
}

const numbered = (name: string, count: number) => name.replace(/(\.\w+)?$/, ` (${count})$1`)
