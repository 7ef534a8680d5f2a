import { type FileHandle, open } from 'node:fs/promises'

const BLOCK = 512
const padding = (size: number) => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

/** The header of a file's entry (POSIX.1-1988 "ustar"). Sizes up to 8 GiB. Time zero, so that it says nothing. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  const fields: readonly [text: string, at: number][] = [
    [name, 0],
    [octal(0o644, 8), 100],
    [octal(0, 8), 108],
    [octal(0, 8), 116],
    [octal(size, 12), 124],
    [octal(0, 12), 136],
    ['        ', 148],
    ['0', 156],
    ['ustar\x0000', 257],
  ]
  for (const [text, at] of fields) block.write(text, at, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

/** Writes a tar file; its first entry may grow until the next one is added. */
export class TarWriter {
  readonly #file: FileHandle
  #size = 0
  #growing: { name: string; at: number; size: number } | undefined

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** @throws when the file exists: an archive is not written over */
  static async create(path: string): Promise<TarWriter> {
    return new TarWriter(await open(path, 'wx'))
  }

  async begin(name: string): Promise<void> {
    this.#growing = { name, at: this.#size, size: 0 }
    await this.#write(Buffer.alloc(BLOCK))
  }

  async grow(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    this.#growing!.size += bytes.length
    await this.#write(bytes)
  }

  async end(): Promise<void> {
    const { name, at, size } = this.#growing!
    await this.#write(padding(size))
    await this.#file.write(header(name, size), 0, BLOCK, at)
    this.#growing = undefined
  }

  async add(name: string, content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content as string)
    await this.#write(Buffer.concat([header(name, bytes.length), bytes, padding(bytes.length)]))
  }

  async close(): Promise<void> {
    await this.#write(Buffer.alloc(2 * BLOCK))
    await this.#file.sync()
    await this.#file.close()
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#file.write(bytes, 0, bytes.length, this.#size)
    this.#size += bytes.length
  }
}

/** The contents of some entries of a tar file. @throws Error it is none, or lacks one of them */
export async function readTar(path: string, names: readonly string[]): Promise<Buffer[]> {
  const file = await open(path, 'r')
  try {
    const found = new Map<string, Buffer>()
    const block = Buffer.alloc(BLOCK)
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(block, 0, BLOCK, at)
      if (bytesRead < BLOCK || block[0] === 0) break
      if (block.toString('latin1', 257, 262) !== 'ustar') throw new Error('it is no tar file')
      const text = (from: number, to: number) => block.toString('latin1', from, to).replace(/\0.*$/s, '')
      const size = Number.parseInt(text(124, 136), 8)
      const name = text(0, 100)
      if (names.includes(name)) {
        const content = Buffer.alloc(size)
        await file.read(content, 0, size, at + BLOCK)
        found.set(name, content)
      }
      at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    }
    return names.map((name) => {
      const content = found.get(name)
      if (!content) throw new Error(`it holds no ${name}`)
      return content
    })
  } finally {
    await file.close()
  }
}
