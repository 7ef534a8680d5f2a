import Router from '@koa/router'
import { describe, expect, it, vi } from 'vitest'
import { rememberMatches } from './rememberMatches.ts'

const newRouter = () =>
  new Router({ prefix: '/api' })
    .get('/tasks/:id', () => {})
    .get('/tasks', () => {})
    .post('/tasks', () => {})
    .get('/tasks/stats', () => {})
const CALLS = [
  '/api/tasks',
  '/api/tasks/',
  '/api/TASKS',
  '/api/tasks/stats',
  '/api/tasks/1',
  '/api/none',
  '/api/tasks/:id',
]

describe('remembering the matches of a router', () => {
  it('finds the same routes as the router, the second time too', () => {
    const [plain, remembering] = [newRouter(), newRouter()]
    rememberMatches(remembering)
    const paths = ({ path, pathAndMethod, route }: ReturnType<Router['match']>) => ({
      path: path.map((each) => each.path),
      pathAndMethod: pathAndMethod.map((each) => [each.path, ...each.methods]),
      route,
    })
    for (const _ of [1, 2])
      for (const path of CALLS)
        for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
          expect(paths(remembering.match(path, method)), `${method} ${path}`).toEqual(paths(plain.match(path, method)))
  })

  it('matches a path without parameters once, and others each time', () => {
    const router = newRouter()
    const match = vi.spyOn(router, 'match')
    rememberMatches(router)
    for (const path of ['/api/tasks', '/api/tasks', '/api/tasks/1', '/api/tasks/1', '/api/none', '/api/none'])
      router.match(path, 'GET')
    expect(match.mock.calls.map(([path]) => path)).toEqual([
      '/api/tasks',
      ...['/api/tasks/1', '/api/tasks/1', '/api/none', '/api/none'],
    ])
  })

  it('keeps the list unchanged when a later router adds to it', () => {
    const router = newRouter()
    rememberMatches(router)
    const first = router.match('/api/tasks', 'GET')
    const count = first.path.length
    first.path.push(...first.path)
    expect(router.match('/api/tasks', 'GET').path).toHaveLength(count)
  })
})
