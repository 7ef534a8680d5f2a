/** A `localStorage` in memory. As in browsers, `Object.keys` lists the stored keys. */
export function storageDouble(kept: Map<string, string>): Storage {
  const methods = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  return new Proxy(methods as Storage, {
    ownKeys: () => [...kept.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
}
