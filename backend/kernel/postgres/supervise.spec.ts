import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { supervise } from './supervise.ts'

it('notices at once that a server has ended at its start', async () => {
  const servers = Array.from({ length: 200 }, () => supervise(['/bin/false'], { prefix: [], ids: {} }, () => {}))
  const ended = Promise.all(servers.map(({ exited }) => exited))
  const first = await Promise.race([ended.then(() => 'ended'), delay(20_000, 'still waits')])
  await Promise.all(servers.map(({ stop }) => stop()))
  expect(first).toBe('ended')
})
