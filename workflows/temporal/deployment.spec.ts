import { expect, it, onTestFinished } from 'vitest'
import { promoteVersion } from './deployment.ts'

const HOUR_S = 3_600

/** Runs an older process while a newer version is current, on a server whose clock differs from this one. */
function olderProcess(aheadS: number) {
  const server = { workers: true, asked: 0, promoted: false, lastAccess: Math.floor(Date.now() / 1000) + aheadS }
  const version = (buildId: string, seconds: number) => ({ deploymentVersion: { buildId }, createTime: { seconds } })
  const workflowService = {
    describeWorkerDeployment: async () => ({
      workerDeploymentInfo: {
        versionSummaries: [version('older', 1), version('newer', 2)],
        routingConfig: { currentDeploymentVersion: { buildId: 'newer' } },
      },
    }),
    async describeTaskQueue() {
      server.asked++
      if (server.workers) server.lastAccess += 1
      return { pollers: [{ deploymentOptions: { buildId: 'newer' }, lastAccessTime: { seconds: server.lastAccess } }] }
    },
    async setWorkerDeploymentCurrentVersion() {
      server.promoted = true
    },
  }
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const options = { log: { info() {}, warn() {} } as never, signal: stop.signal, abandonedMs: 500 }
  void promoteVersion({ workflowService } as never, 'default', 'older', options)
  return server
}

it.each([HOUR_S, -HOUR_S])(
  'a newer version stays current exactly as long as it has workers, with a server clock %i s ahead',
  async (aheadS) => {
    const server = olderProcess(aheadS)
    await expect.poll(() => server.asked).toBeGreaterThan(3)
    expect(server.promoted).toBe(false)
    server.workers = false
    await expect.poll(() => server.promoted).toBe(true)
  },
)
