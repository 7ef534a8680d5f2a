import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import config from '../../vitest.config.ts'
import { ROOT } from '../run.mjs'

const CHECKED = '{backend,projections,workflows,renderer,proof,site,content,scripts}/**/*.spec.{ts,tsx}'

type Project = Readonly<{ test?: { name?: unknown; include?: string[] } }>

const projects = (config.test?.projects ?? []) as Project[]
const isolated = projects.find(({ test }) => test?.name === 'isolated')?.test?.include ?? []

/** Returns whether a test replaces a module, which does nothing if another file of its worker has loaded it. */
const replacesModules = (text: string) => /^\s*(?:await )?vi\.(?:mock|doMock)\(/m.test(text)

describe('check of replaced modules', () => {
  it('finds no test that replaces a module in a worker that others share', async () => {
    const found: string[] = []
    for await (const file of glob(CHECKED, { cwd: ROOT, exclude: ['**/{node_modules,dist}/**'] }))
      if (replacesModules(readFileSync(path.join(ROOT, file), 'utf8'))) found.push(file)
    expect(found).toContain('backend/tasks/pushUpdates.spec.ts')
    expect(found.filter((file) => !isolated.some((each) => path.matchesGlob(file, each)))).toEqual([])
  })

  it.each(["vi.mock('./works.ts', () => ({}))", "  vi.doMock('node:dns')"])('knows %s', (text) => {
    expect(replacesModules(text)).toBe(true)
    expect(replacesModules(`// ${text.trim()}`)).toBe(false)
  })
})
