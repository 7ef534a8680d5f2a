import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { removePartials } from './removePartials.ts'
import { DAY_MS } from './retention.ts'

const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-partials-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const now = Date.UTC(2026, 0, 31)
const id = '0190b5a2-7c1e-7abc-8def-0123456789ab'

function write(folder: string, name: string, ageMs: number) {
  const file = path.join(place, folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'part of a video')
  utimesSync(file, (now - ageMs) / 1000, (now - ageMs) / 1000)
}

it('removes partial files of killed processes, but none that may still be written and nothing of other installations', async () => {
  for (const folder of ['own', 'foreign']) {
    write(folder, `objects/killed.age.${id}.part`, DAY_MS + 1_000)
    write(folder, `objects/growing.age.${id}.part`, DAY_MS - 1_000)
    write(folder, `objects/killed.mp4.${id}.part`, DAY_MS + 1_000)
    write(folder, 'objects/whole.age', 9 * DAY_MS)
    write(folder, 'objects/of another program.part', 9 * DAY_MS)
  }
  await removePartials(place, ['own', 'never written'], now)
  expect(readdirSync(path.join(place, 'own/objects')).toSorted()).toEqual([
    `growing.age.${id}.part`,
    'of another program.part',
    'whole.age',
  ])
  expect(readdirSync(path.join(place, 'foreign/objects'))).toHaveLength(5)
})
