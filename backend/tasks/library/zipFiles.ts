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
  const names = new Map<string, number>()
  let current: Readable | undefined
  const zip = Readable.fromWeb(makeZip(opened()) as ReadableStream)
  // The zip writer leaves the file that it reads open when its reader leaves.
  return zip.once('close', () => current?.destroy())

  async function* opened() {
    for await (const { name, at, open } of files) {
      if (zip.destroyed) return
      const count = (names.get(name) ?? 0) + 1
      names.set(name, count)
      current = open()
      yield { name: count === 1 ? name : numbered(name, count), lastModified: at, input: current }
    }
  }
}

const numbered = (name: string, count: number) => name.replace(/(\.\w+)?$/, ` (${count})$1`)
