/** Hashes lattice coordinates to a number in [0, 1). */
function hashCell(x: number, y: number, seed: number): number {
  let hash = (Math.imul(x, 374761393) + Math.imul(y, 668265263) + Math.imul(seed, 1274126177)) | 0
  hash = Math.imul(hash ^ (hash >>> 13), 1274126177)
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296
}

const smooth = (t: number) => t * t * t * (t * (t * 6 - 15) + 10)

/** Returns value noise from 0 to 1 on a lattice with unit spacing. */
export function noise(x: number, y: number, seed = 0): number {
  const cellX = Math.floor(x)
  const cellY = Math.floor(y)
  const u = smooth(x - cellX)
  const v = smooth(y - cellY)
  const a = hashCell(cellX, cellY, seed)
  const b = hashCell(cellX + 1, cellY, seed)
  const c = hashCell(cellX, cellY + 1, seed)
  const d = hashCell(cellX + 1, cellY + 1, seed)
  return a + (b - a) * u + (c - a) * v + (a - b - c + d) * u * v
}
