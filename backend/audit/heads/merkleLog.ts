import { createHash } from 'node:crypto'

const sha256 = (prefix: number, ...parts: readonly Buffer[]): Buffer => {
  const hash = createHash('sha256').update(Uint8Array.of(prefix))
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Returns the leaf of an event's hash in hex. */
export const leafHash = (eventHash: string): Buffer => sha256(0, Buffer.from(eventHash, 'hex'))
export const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(1, left, right)

/**
 * An append-only Merkle tree (RFC 9162) of event hashes. It keeps only the roots of its complete subtrees, one per bit
 * of its size, so that adding a leaf takes constant time on average.
 * @example new MerkleLog(earlier.peaks).add(eventHash(event))
 */
export class MerkleLog {
  /** Root of the complete subtree of 2^index leaves, if the size has this bit. */
  readonly #peaks: (Buffer | undefined)[]
  readonly #onSubtree: (height: number, root: Buffer) => void
  size = 0

  /** @param onSubtree receives the root of each complete subtree of 2^height leaves */
  constructor(
    peaks: readonly (string | null)[] = [],
    onSubtree: (height: number, root: Buffer) => void = () => undefined,
  ) {
    this.#onSubtree = onSubtree
    this.#peaks = peaks.map((peak) => (peak === null ? undefined : Buffer.from(peak, 'hex')))
    for (const [height, peak] of peaks.entries()) if (peak !== null) this.size += 2 ** height
  }

  /** Adds a hash in hex. */
  add(eventHash: string): void {
    let node = leafHash(eventHash)
    let height = 0
    for (; this.#peaks[height]; height++) {
      node = nodeHash(this.#peaks[height]!, node)
      this.#peaks[height] = undefined
      this.#onSubtree(height + 1, node)
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
    for (const peak of this.#peaks) if (peak) root = root ? nodeHash(peak, root) : peak
    return (root ?? createHash('sha256').digest()).toString('hex')
  }
}
