import { trimEnd } from '../../trimEnd.ts'

/**
 * Returns the path by which a page is found, guarded and redirected: without slashes at its end. All of them use this one,
 * because a path that a guard reads differently passes it.
 * @example pagePath('/workspace//') // '/workspace'
 */
export const pagePath = (path: string): string => trimEnd(path, '/') || '/'
