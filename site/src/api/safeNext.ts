/** The page to go to after signing in: only a path of this site, never another host. */
export function safeNext(next: string | null | undefined, otherwise: string, origin: string): string {
  if (!next?.startsWith('/') || next.startsWith('//') || next.includes('\\')) return otherwise
  // Browsers drop tabs and line breaks from addresses, so that `/<tab>/host` would leave the site.
  if ([...next].some((c) => c < ' ')) return otherwise
  const url = new URL(next, origin)
  return url.origin === origin ? url.pathname + url.search + url.hash : otherwise
}
