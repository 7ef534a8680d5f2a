/** Removes the entry that was added first if a map has more than `max`. @example limitSize(cache, 10_000) */
export function limitSize<Key>(map: Map<Key, unknown>, max: number): void {
  if (map.size <= max) return
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
