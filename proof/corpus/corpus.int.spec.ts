import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { startTarget, type Target } from '../attack/target.ts'
import { addresses } from './addresses.ts'
import { bodies } from './bodies.ts'
import type { Case } from './case.ts'
import { films } from './films.ts'
import { forms } from './forms.ts'
import { headers } from './headers.ts'
import { people } from './people.ts'
import { pictures } from './pictures.ts'
import { play } from './play.ts'
import { queries } from './queries.ts'
import { sockets } from './sockets.ts'

const AREAS = { addresses, headers, bodies, queries, forms, pictures, people, films, sockets }
const hasSite = existsSync(path.resolve(import.meta.dirname, '../../site/dist/client'))

let target: Target
let first: Awaited<ReturnType<Target['identity']>>
let played = 0
beforeAll(async () => {
  // Its summer time begins at midnight.
  target = await startTarget({ OPERATOR_TIME_ZONE: 'America/Havana' })
  first = await target.identity()
})
afterAll(async () => {
  await target.stop()
  expect(target.newErrors()).toEqual([])
})

describe.each(Object.entries(AREAS))('the corpus of %s', (_, cases) => {
  for (const reported of sampled<Case>(cases, cases.length / 4)) {
    const lacks = Boolean(reported.needsSite) && !hasSite
    it.skipIf(lacks)(`handles ${reported.id}${lacks ? ' (skipped: the site is not built)' : ''}`, async () => {
      await play(target, reported, played++)
      expect(await target.identity()).toEqual(first)
      expect((await fetch(`${target.url}/healthz`)).status).toBe(200)
      expect(target.newErrors()).toEqual([])
    })
  }
})

it('has a public thread for each case, and no case twice', () => {
  const all = Object.values(AREAS).flat()
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  for (const { report } of all) expect(report).toMatch(/^https:\/\/[\w.-]+\/\S+$/)
})
