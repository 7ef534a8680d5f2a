import type { Receipt } from '#backend/audit/receipts/contract.ts'
import type { Assertion } from './report.ts'

/** A tree of the ledger: its number of events, and the Merkle root of their hashes in hex. */
export type Tree = { readonly size: number; readonly root: string }

/**
 * What is wrong with a receipt. `otherFilm`: it belongs to another film. `rewritten`: the ledger that issued it does not
 * continue the one that the film, or an earlier visit, knows. `forged`: it contradicts the film, its proof or its signature.
 */
export type Fault = 'otherFilm' | 'rewritten' | 'forged'

const HEX = /^([0-9a-f]{2})*$/
const bytesOf = (hex: string) => {
  if (!HEX.test(hex)) throw new TypeError('no hash')
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
const hexOf = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

async function hashOf(prefix: number, ...parts: readonly string[]): Promise<string> {
  const bytes = parts.flatMap((part) => [...bytesOf(part)])
  return hexOf(await crypto.subtle.digest('SHA-256', Uint8Array.from([prefix, ...bytes])))
}

/** Returns the root to which a proof leads (RFC 9162, 2.1.3.2); undefined if its length is wrong. */
async function rootOf(
  event: string,
  index: number,
  size: number,
  path: readonly string[],
): Promise<string | undefined> {
  let [at, last, root] = [index, size - 1, await hashOf(0, event)]
  for (const sibling of path) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      root = await hashOf(1, sibling, root)
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else root = await hashOf(1, root, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 && index < size ? root : undefined
}

/** Returns whether a proof shows that the later tree begins with the earlier one (RFC 9162, 2.1.4.2). */
export async function isConsistent(earlier: Tree, later: Tree, proof: readonly string[]): Promise<boolean> {
  if (earlier.size === later.size) return earlier.root === later.root
  const isWhole = Number.isInteger(Math.log2(earlier.size))
  const [first, ...path] = isWhole ? [earlier.root, ...proof] : proof
  if (first === undefined) return false
  let [at, last] = [earlier.size - 1, later.size - 1]
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  let [before, after] = [first, first]
  for (const sibling of path) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      before = await hashOf(1, sibling, before)
      after = await hashOf(1, sibling, after)
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else after = await hashOf(1, after, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return before === earlier.root && after === later.root && last === 0
}

/** Compares a receipt with what the film says, and follows its proofs. */
export async function faultOf(
  { receipt, checkpoint, proofs }: Receipt,
  film: Assertion,
  id: string | undefined,
): Promise<Fault | undefined> {
  if (receipt.task !== film.task || (id !== undefined && id !== film.task)) return 'otherFilm'
  const hold = receipt.events.find(({ type }) => type === 'CreditsHeld')
  if (hold?.hash !== film.hold.event || hold.position !== film.hold.position) return 'rewritten'
  if (receipt.credits !== film.credits || hold.facts.credits !== film.credits) return 'forged'
  if (proofs.length !== receipt.events.length) return 'forged'
  for (const [number, proof] of proofs.entries()) {
    if (!proof) continue
    if (!checkpoint) return 'forged'
    const { size, root } = checkpoint.checkpoint
    if ((await rootOf(receipt.events[number]!.hash, proof.index, size, proof.path)) !== root) return 'forged'
  }
  return checkpoint && (await isSigned(checkpoint)) === false ? 'forged' : undefined
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}

/** Returns whether a checkpoint is signed with the key that it names; undefined if the browser cannot verify Ed25519. */
async function isSigned({
  checkpoint,
  signature,
  publicKey,
}: NonNullable<Receipt['checkpoint']>): Promise<boolean | undefined> {
  const binary = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  const der = binary(publicKey.replace(/-----[^-]+-----|\s/g, ''))
  const key = await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify']).catch(() => undefined)
  return key && crypto.subtle.verify('Ed25519', key, binary(signature), new TextEncoder().encode(canonical(checkpoint)))
}
