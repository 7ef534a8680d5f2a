import { trimEnd } from '../../trimEnd.ts'

/** Every film has an address, and all of them one page. */
const FILM = /^((?:\/zh)?\/film)\/[0-9a-f-]{36}$/i

/**
 * Returns the path by which a page is found, guarded and redirected: without slashes at its end. All of them use this one,
 * because a path that a guard reads differently passes it.
 * @example pagePath('/workspace//') // '/workspace'
 */
export const pagePath = (path: string): string => trimEnd(path, '/').replace(FILM, '$1') || '/'
