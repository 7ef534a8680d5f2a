import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { alsoRunning, type Recording, SOMETIMES, tourOf } from './generatePath.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const page = readFileSync(path.join(ROOT, 'docs/mechanisms/generate.md'), 'utf8')
const tour = tourOf(page)
/** Files of the tour without functions that a video calls: schemas, types, SQL, and the composition. */
const DECLARATIONS = /(contract|events|\.port|\.sql|pure\/decider|composeApi)\.ts$/

it('docs/mechanisms/generate.md follows a video through at most 50 files, each once', () => {
  expect(tour.length).toBeGreaterThan(30)
  expect(tour.length).toBeLessThanOrEqual(50)
  expect(new Set([...tour, ...alsoRunning(page)]).size).toBe(tour.length + alsoRunning(page).length)
})

it('docs/mechanisms/generate.md lists every file that runs for a video (update: node scripts/testing/generatePath.ts --write)', {
  timeout: 600_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'generatePath.ts')])
  const { always, once } = JSON.parse(stdout) as Recording
  expect(always.length).toBeGreaterThan(60)
  const listed = new Set([...tour, ...alsoRunning(page)])
  expect(always.filter((file) => !listed.has(file))).toEqual([])
  const onServer = tour.filter((file) => !file.startsWith('site/') && !DECLARATIONS.test(file))
  const ran = new Set([...once, ...SOMETIMES])
  expect([...onServer, ...alsoRunning(page)].filter((file) => !ran.has(file))).toEqual([])
})
