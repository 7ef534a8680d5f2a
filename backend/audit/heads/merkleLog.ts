import { createHash } from 'node:crypto'

const sha256 = (prefix: number, ...parts: readonly Buffer[]): Buffer => {
  const hash = createHash('sha256').update(Uint8Array.of(prefix))
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/**
 * An append-only Merkle tree (RFC 9162) of event hashes. It keeps only the roots of its complete subtrees, one per bit
 * of its size, so that adding a leaf takes constant time on average.
 * @example new MerkleLog(earlier.peaks).add(eventHash(event))
 */
export class MerkleLog {
  /** Root of the complete subtree of 2^index leaves, if the size has this bit. */
  readonly #peaks: (Buffer | undefined)[]
  size = 0

  constructor(peaks: readonly (string | null)[] = []) {
    this.#peaks = peaks.map((peak) => (peak === null ? undefined : Buffer.from(peak, 'hex')))
    for (const [height, peak] of peaks.entries()) if (peak !== null) this.size += 2 ** height
  }

  /** Adds a hash in hex. */
  add(eventHash: string): void {
    let node = sha256(0, Buffer.from(eventHash, 'hex'))
    let height = 0
    for (; this.#peaks[height]; height++) {
      node = sha256(1, this.#peaks[height]!, node)
      this.#peaks[height] = undefined
    }
    this.#peaks[height] = node
    this.size += 1
  }

  /** Returns the subtree roots, from which the tree continues. */
  get peaks(): readonly (string | null)[] {
    return this.#peaks.map((peak) => peak?.toString('hex') ?? null)
  }

  get root(): string {
    let root: Buffer | undefined
    for (const peak of this.#peaks) if (peak) root = root ? sha256(1, peak, root) : peak
    return (root ?? createHash('sha256').digest()).toString('hex')
  }
}
