/** Returns `next`, the page to open after signing in, if it is on this site. Otherwise returns `fallback`. */
export function safeNext(next: string | null | undefined, fallback: string, origin: string): string {
  if (!next?.startsWith('/') || next.startsWith('//') || next.includes('\\')) return fallback
  // Browsers remove tabs and line breaks from URLs, so `/<tab>/host` would leave the site.
  if ([...next].some((c) => c < ' ')) return fallback
  const url = new URL(next, origin)
  // `/.//host` normalizes to `//host`, which names another host.
  const isHere = url.origin === origin && !url.pathname.startsWith('//')
  return isHere ? url.pathname + url.search + url.hash : fallback
}
