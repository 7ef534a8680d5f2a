import { expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { outcomeOf } from './outcome.ts'
import { PARTS } from './parts.ts'

/** Programs that start within a minute, and of which nothing is downloaded. The full run tries all. */
const QUICK = ['proxy nginx', 'proxy haproxy', 'PostgreSQL', 'PgBouncer']

it.for(FULL ? PARTS.map(({ name }) => name) : QUICK)(
  'Kinora works with the real program: %s',
  { timeout: 1_800_000 },
  async (name, { skip }) => {
    const { result, line } = await outcomeOf(name, { record: false, full: false, pictures: undefined })
    skip(result === 'skipped', line)
    expect(result, line).toBe('passed')
  },
)
