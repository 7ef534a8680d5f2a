import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MerkleLog } from './merkleLog.ts'

const hashes = Array.from({ length: 40 }, (_, n) => createHash('sha256').update(String(n)).digest('hex'))
const sha256 = (...parts: readonly (Buffer | Uint8Array)[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest()

/** The recursive definition of RFC 9162, section 2.1.1. */
function treeHash(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return sha256(Uint8Array.of(0), Buffer.from(leaves[0]!, 'hex'))
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  return sha256(Uint8Array.of(1), treeHash(leaves.slice(0, half)), treeHash(leaves.slice(half)))
}

describe('the Merkle tree of event hashes', () => {
  it('has the root that RFC 9162 defines at every size', () => {
    const log = new MerkleLog()
    for (let size = 0; size <= hashes.length; size++) {
      expect([log.size, log.root]).toEqual([size, treeHash(hashes.slice(0, size)).toString('hex')])
      if (size < hashes.length) log.add(hashes[size]!)
    }
  })

  it('continues from its peaks', () => {
    for (let size = 0; size < hashes.length; size++) {
      const log = new MerkleLog()
      for (const hash of hashes.slice(0, size)) log.add(hash)
      const resumed = new MerkleLog(JSON.parse(JSON.stringify(log.peaks)))
      for (const hash of hashes.slice(size)) resumed.add(hash)
      expect([resumed.size, resumed.root]).toEqual([40, treeHash(hashes).toString('hex')])
    }
  })
})
