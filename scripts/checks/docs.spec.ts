import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const ROOMS = ['backend', 'projections', 'workflows', 'site', 'content', 'renderer', 'proof', 'scripts', 'docs']
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
  .concat(ROOMS.map((folder) => `${folder}/README.md`))
  .concat(
    execFileSync('find', ['docs', '-name', '*.md', '!', '-path', 'docs/README.md'], { cwd: ROOT, encoding: 'utf8' })
      .trim()
      .split('\n'),
  )
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8')

/** Paths of this repository that a page quotes in backticks. Patterns and placeholders are not paths. */
const quoted = (text: string) =>
  [
    ...text.matchAll(/`((?:backend|projections|workflows|renderer|proof|site|scripts|content|docs)\/[\w./[\]-]+)`/g),
  ].map(([, file]) => file!)
const links = (page: string) =>
  [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => path.join(path.dirname(page), target!))

describe('documentation', () => {
  it('has a page for every top-level folder', () => {
    const tracked = execFileSync('git', ['ls-files', '*/*'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
    const folders = new Set(tracked.filter((file) => /^[a-z]/.test(file)).map((file) => file.split('/')[0]))
    expect([...folders].sort()).toEqual(ROOMS.toSorted())
  })

  it.each(pages)('%s links and quotes only files that exist', (page) => {
    const missing = [...quoted(read(page)), ...links(page)].filter((file) => !existsSync(path.join(ROOT, file)))
    expect(missing).toEqual([])
  })

  it('is linked from the code for every decision but the one about packages', () => {
    const records = readdirSync(path.join(ROOT, 'docs/decisions')).filter((record) => !record.startsWith('0012'))
    const isLinked = (record: string) =>
      spawnSync('git', ['grep', '-qF', `docs/decisions/${record}`, '--', '*.ts', '*.mjs'], { cwd: ROOT }).status === 0
    expect(records.filter((record) => !isLinked(record))).toEqual([])
  })
})

describe('the tree', () => {
  const files = execFileSync('git', ['ls-files', 'backend', 'projections', 'workflows', 'site', 'scripts', 'proof'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const present = files.split('\n').filter((file) => file && existsSync(path.join(ROOT, file)))

  it('has one source file at the root of backend', () => {
    expect(present.filter((file) => /^backend\/[^/]+\.ts$/.test(file))).toEqual(['backend/main.ts'])
  })
})
