// Shows push messages. Without a connection, shows the page that verifies films, if it was used, and else a page of its own.
const CACHE = 'offline-3'
/** Filled by the page, `keepPage.ts`. */
const VERIFY_CACHE = 'verify'
const PAGES = ['/offline', '/zh/offline']

/** Stores the offline pages with their style sheets. */
async function store() {
  const cache = await caches.open(CACHE)
  for (const page of PAGES) {
    const answer = await fetch(page)
    // The browser installs the worker again with a later page.
    if (!answer.ok) throw new Error(`${page}: ${answer.status}`)
    const html = await answer.clone().text()
    await cache.put(page, answer)
    await cache.addAll(html.match(/\/_astro\/[\w@.-]+\.css/g) ?? [])
  }
}

async function deleteOldCaches() {
  for (const name of await caches.keys()) if (name !== CACHE && name !== VERIFY_CACHE) await caches.delete(name)
}

const storedPage = async (path) => (await caches.match(path)) ?? caches.match(PAGES[/^\/zh(\/|$)/.test(path) ? 1 : 0])

self.addEventListener('install', (event) => {
  event.waitUntil(store().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(deleteOldCaches().then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { pathname } = new URL(request.url)
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => storedPage(pathname)))
  else if (pathname.startsWith('/_astro/'))
    event.respondWith(caches.match(request).then((stored) => stored ?? fetch(request)))
  else if (pathname === '/.well-known/kinora.json')
    event.respondWith(fetch(request).catch(async () => (await caches.match(request)) ?? Response.error()))
})

self.addEventListener('push', (event) => {
  const { title, body, tag, path } = event.data.json()
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      icon: '/icon-192.png',
      badge: '/icon-192.png',
      data: { path },
    }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(event.notification.data.path))
})

/** Shows a page in a window that is open already, or in a new one. */
async function show(path) {
  const [open] = await self.clients.matchAll({ type: 'window' })
  if (!open) return self.clients.openWindow(path)
  await open.focus()
  return open.navigate(path)
}
