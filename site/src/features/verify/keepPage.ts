import { registerWorker } from '../../api/notices/worker.ts'
import { READER } from './reader.ts'

/** The service worker answers from this cache without a connection. */
const CACHE = 'verify'
const isAsset = (path: string) => path.startsWith('/_astro/')

/**
 * Stores the page with its reader and the certificates of this installation, for visits without a connection. The files come
 * from the browser's cache.
 */
export async function keepPage(): Promise<void> {
  // Missing without TLS, and in some private windows.
  if (!('serviceWorker' in navigator)) return
  // Scripts that are still on their way would be missing. late.js
  const isAwake = () => document.documentElement.dataset.awake !== undefined
  if (!isAwake()) await new Promise((resolve) => addEventListener('awake', resolve, { once: true }))
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  const paths = new Set([location.pathname, '/.well-known/kinora.json', ...READER, ...loaded.filter(isAsset)])
  const cache = await caches.open(CACHE)
  await cache.addAll([...paths])
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (isAsset(pathname) && !paths.has(pathname)) await cache.delete(request)
  }
  await registerWorker()
}
