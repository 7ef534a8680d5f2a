import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BUNDLES } from './programs.mjs'
import { inAscii, withSourcePaths } from './sourcePaths.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const rewrite = (source: string, file = 'backend/kernel/media/example.ts') =>
  withSourcePaths(source, file, ROOT, BUNDLES.dist.programs)

describe('a source in the bundle', () => {
  it('names files by their place in the tree', () => {
    expect(rewrite("new URL('./stamps.ts', import.meta.url)")).toBe("new URL('./stamps.js', import.meta.url)")
    expect(rewrite("path.join(import.meta.dirname, '../../../content/models')")).toBe(
      "path.join((import.meta.dirname + '/../backend/kernel/media'), '../../../content/models')",
    )
    expect(rewrite('new URL(name, import.meta.url)')).toBe(
      "new URL(name, new URL('../backend/kernel/media/example.ts', import.meta.url).href)",
    )
  })

  it('is not the main module, unless its process was started with it', () => {
    expect(rewrite('if (import.meta.main) run()')).toBe('if (false) run()')
    expect(rewrite('import.meta.main', 'backend/kernel/media/stamps.ts')).toBe(
      "(process.argv[1] === import.meta.dirname + '/stamps.js')",
    )
  })

  it('fails the build if it names a file that does not exist', () => {
    expect(() => rewrite("path.join(import.meta.dirname, 'absent.sql')")).toThrow('no backend/kernel/media/absent.sql')
  })

  it('fails the build if it names a program that is not in the bundle', () => {
    expect(() => rewrite("new URL('./ffmpeg.ts', import.meta.url)")).toThrow('ffmpeg.ts is not in the bundle')
  })

  it('is in ASCII, and fails the build if an escape would change its meaning', () => {
    expect(inAscii("const name = /影片|'é'/", 'example.ts')).toBe(String.raw`const name = /\u5f71\u7247|'\u00e9'/`)
    expect(() => inAscii("'\\é'", 'example.ts')).toThrow('example.ts: \\é cannot be escaped')
    expect(() => inAscii('String.raw`影片`', 'example.ts')).toThrow('String.raw`影片 cannot be escaped')
  })
})
