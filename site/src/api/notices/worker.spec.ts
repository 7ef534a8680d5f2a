import { readFileSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'

const SOURCE = readFileSync(path.resolve(import.meta.dirname, '../../../public/sw.js'), 'utf8')

let stored: Map<string, Map<string, string>>
beforeEach(() => {
  stored = new Map([['offline-0', new Map()]])
})

/** Runs the service worker with a server that responds with `status`, and returns a function that raises its events. */
function startWorker(status: number) {
  const handlers = new Map<string, (event: object) => void>()
  const open = async (name: string) => {
    const pages = stored.get(name) ?? new Map<string, string>()
    stored.set(name, pages)
    return {
      put: async (page: string, answer: Response) => void pages.set(page, await answer.text()),
      addAll: async () => {},
    }
  }
  vm.runInNewContext(SOURCE, {
    self: {
      addEventListener: (name: string, handler: (event: object) => void) => handlers.set(name, handler),
      skipWaiting: async () => {},
      clients: { claim: async () => {} },
    },
    caches: { open, keys: async () => [...stored.keys()], delete: async (name: string) => stored.delete(name) },
    fetch: async (page: string) => new Response(page, { status }),
  })
  return async (name: string) => {
    let done: unknown
    handlers.get(name)!({
      waitUntil: (promise: unknown) => {
        done = promise
      },
    })
    await done
  }
}

describe('the service worker', () => {
  it('is not installed with an error page in place of the offline page', async () => {
    await expect(startWorker(503)('install')).rejects.toThrow('/offline: 503')
    expect([...stored.values()].flatMap((pages) => [...pages.values()])).toEqual([])
  })

  it('stores the offline pages, and deletes those of earlier versions', async () => {
    const raise = startWorker(200)
    await raise('install')
    await raise('activate')
    expect([...stored.values()].map((pages) => [...pages.values()])).toEqual([['/offline', '/zh/offline']])
  })
})
