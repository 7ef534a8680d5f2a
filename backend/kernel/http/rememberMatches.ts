import type Router from '@koa/router'

/**
 * Makes a router match paths without parameters once, because each match tests the patterns of all routes. Call it after
 * the last route has been registered.
 * @example rememberMatches(new Router().get('/status', status))
 */
export function rememberMatches(router: Router): void {
  const match = router.match.bind(router)
  const known = new Map<string, ReturnType<typeof match>>()
  router.match = (path, method) => {
    const key = `${method} ${path}`
    const matched = known.get(key) ?? match(path, method)
    // Only paths of routes are kept, so that clients cannot fill the map.
    if (matched.route && matched.path.some((route) => route.path === path)) known.set(key, matched)
    // Routers that follow add their routes to the list.
    return { ...matched, path: [...matched.path] }
  }
}
