/** Schemes of programs that register one without a dot. Others would let an address start any program of the machine. */
const KNOWN_SCHEMES = [
  ...['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:', 'claude:', 'chatgpt:', 'kiro:', 'trae:', 'warp:'],
  ...['raycast:', 'goose:', 'lmstudio:', 'jan:', 'cherrystudio:', 'msty:', 'positron:', 'code-oss:', 'vscodium:'],
]
/** A reversed domain, as RFC 8252, section 7.1, asks for. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/
const MAX_LENGTH = 500

const isLoopbackHost = (hostname: string) => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
/** Returns whether an address leads to a program on the user's computer, over http. */
export const isLoopbackUri = (uri: string): boolean => {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname)
}

/**
 * Returns whether a client may be answered at an address: https, http on the user's computer, or the scheme of a program.
 * @example isRedirectUri('javascript:alert(1)') // false
 */
export function isRedirectUri(uri: string): boolean {
  const url = uri.length <= MAX_LENGTH && !/[\s\\#\p{Cc}]/u.test(uri) ? URL.parse(uri) : null
  if (!url || url.username || url.password) return false
  if (url.protocol === 'https:') return url.hostname !== ''
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname)
  return KNOWN_SCHEMES.includes(url.protocol) || REVERSED_DOMAIN.test(url.protocol)
}

/**
 * Returns whether a client has registered an address: exactly, or on the user's computer with any port, because programs
 * listen on a free one (RFC 8252, section 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  const asked = withoutPort(uri)
  return asked !== undefined && registered.some((each) => withoutPort(each) === asked)
}

/** Returns a loopback address without its port, as it was spelled; undefined for other addresses. */
function withoutPort(uri: string): string | undefined {
  if (!isRedirectUri(uri) || !isLoopbackUri(uri)) return undefined
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/, '$1')
}
