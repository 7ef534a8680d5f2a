import { expect, it, onTestFinished } from 'vitest'
import { supervise } from './supervise.ts'

it('notices at once that a server has ended at its start', async () => {
  const servers = Array.from({ length: 200 }, () => supervise(['/bin/false'], { prefix: [], ids: {} }, () => {}))
  onTestFinished(async () => void (await Promise.all(servers.map(({ stop }) => stop()))))
  expect(await Promise.all(servers.map(({ exited }) => exited))).toHaveLength(200)
})
