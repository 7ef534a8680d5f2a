import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type WatchedFolder, watchFolder } from './watchedFolder.ts'

let root: string
let watched: WatchedFolder<number>
const lines: [object, string][] = []
const log = { info: vi.fn(), warn: (data: object, message: string) => void lines.push([data, message]) }
const changes: string[][] = []

/** Writes a file atomically, because the watcher would log a half-written one as faulty. */
async function put(folder: string, name: string, text: string) {
  const temporary = path.join(root, name)
  await writeFile(temporary, text)
  await rename(temporary, path.join(root, folder, `${name}.json`))
}
const values = () => Object.fromEntries(watched.current())

function parse(value: unknown): number {
  if (typeof value !== 'number') throw new Error('must be a number')
  return value
}

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'kinora-watched-'))
  for (const folder of ['shipped', 'own']) await mkdir(path.join(root, folder))
  await put('shipped', 'a', '1')
  await put('shipped', 'b', '2')
  lines.length = changes.length = 0
  watched = await watchFolder({
    folders: ['shipped', 'own', 'missing'].map((name) => path.join(root, name)),
    parse,
    log: log as never,
    onChange: (found) => changes.push([...found.keys()]),
    intervalMs: 20,
  })
})
afterEach(async () => {
  await watched.close()
  await rm(root, { recursive: true })
})

describe('a watched folder', () => {
  it('lets files of a later folder add to and replace those of an earlier one, and restores them when removed', async () => {
    await put('own', 'b', '20')
    await put('own', 'c', '30')
    await expect.poll(() => values()).toEqual({ a: 1, b: 20, c: 30 })
    await rm(path.join(root, 'own', 'b.json'))
    await expect.poll(() => values()).toEqual({ a: 1, b: 2, c: 30 })
    expect(changes.at(0)).toEqual(['a', 'b'])
  })

  it.each([
    ['not JSON', '{'],
    ['of another shape', '"text"'],
    ['too large', `${' '.repeat(2 << 20)}7`],
  ])('keeps the last valid version of a file that becomes %s, and logs the fault once', async (_, text) => {
    await put('own', 'c', '30')
    await watched.refresh()
    await put('own', 'c', text)
    await watched.refresh()
    await watched.refresh()
    expect(values()).toEqual({ a: 1, b: 2, c: 30 })
    expect(lines).toEqual([
      [expect.objectContaining({ file: path.join(root, 'own', 'c.json') }), 'faulty file refused'],
    ])
    expect([...watched.faults().values()]).toHaveLength(1)
    await put('own', 'c', '31')
    await watched.refresh()
    expect([values().c, watched.faults().size]).toEqual([31, 0])
  })

  it('keeps the earlier folder’s file while a new file of the same name is faulty', async () => {
    await put('own', 'a', '"one"')
    await watched.refresh()
    expect(values()).toEqual({ a: 1, b: 2 })
    expect([...watched.faults().values()]).toEqual(['must be a number'])
  })

  it('keeps the files of a folder that cannot be read, and tells of it', async () => {
    const mounted = path.join(root, 'mounted')
    await symlink(path.join(root, 'shipped'), mounted)
    await watched.close()
    watched = await watchFolder({ folders: [mounted], parse, log: log as never })
    await symlink(mounted, path.join(root, 'loop'))
    await rename(path.join(root, 'loop'), mounted)
    await watched.refresh()
    expect(values()).toEqual({ a: 1, b: 2 })
    expect(watched.faults().get(mounted)).toContain('ELOOP')
  })
})
