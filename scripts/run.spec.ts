import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'kinora-root-')))
afterAll(() => rmSync(folder, { recursive: true }))

it.each(['plain', 'with spaces', 'für 影片', '100%25'])(
  'finds its root in the folder "%s" with every Node 20',
  (name) => {
    const root = path.join(folder, name)
    mkdirSync(path.join(root, 'scripts'), { recursive: true })
    const source = readFileSync(path.join(import.meta.dirname, 'run.mjs'), 'utf8')
    const copy = path.join(root, 'scripts/run.mjs')
    // As in Node 20.0 to 20.10.
    writeFileSync(copy, source.replaceAll('import.meta.dirname', 'undefined'))
    const print = `import { ROOT } from '${pathToFileURL(copy)}'; process.stdout.write(ROOT)`
    expect(execFileSync(process.execPath, ['--input-type=module', '--eval', print], { encoding: 'utf8' })).toBe(root)
  },
)
