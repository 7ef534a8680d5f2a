/** A value that {@link encodeCbor} encodes. Properties that are undefined are left out. */
export type Encodable = null | number | string | object

/**
 * Encodes a value as CBOR, deterministically (RFC 8949, 4.2.1). Numbers must be safe integers. Keys of a Map may be numbers, too.
 * @throws TypeError the value cannot be encoded
 * @example encodeCbor({ alg: 'sha256', hash: Buffer.alloc(32) })
 */
export function encodeCbor(value: Encodable): Buffer {
  if (value === null) return Buffer.from([0xf6])
  if (Number.isSafeInteger(value)) return Number(value) < 0 ? head(1, -1 - Number(value)) : head(0, Number(value))
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)])
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} has no encoding here`)
  const entries: [Encodable, Encodable][] = value instanceof Map ? [...value] : Object.entries(value)
  const encoded = entries
    .filter(([, each]) => each !== undefined)
    .map((entry) => Buffer.concat(entry.map(encodeCbor)))
    .sort(Buffer.compare)
  return Buffer.concat([head(5, encoded.length), ...encoded])
}

/** Encodes the first bytes of an item: its major type, and a length or a value, as short as possible. */
function head(major: number, value: number): Buffer {
  const type = major << 5
  if (value < 24) return Buffer.from([type | value])
  const [size, bytes] = value < 2 ** 8 ? [24, 1] : value < 2 ** 16 ? [25, 2] : value < 2 ** 32 ? [26, 4] : [27, 8]
  const item = Buffer.alloc(9)
  item.writeBigUInt64BE(BigInt(value), 1)
  item[8 - bytes] = type | size
  return item.subarray(8 - bytes)
}
