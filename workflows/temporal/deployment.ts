import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { DEPLOYMENT } from './names.ts'
import type { Log } from './runtime.ts'

const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000

interface Version {
  readonly deploymentVersion?: { readonly buildId?: string | null } | null
  readonly createTime?: { readonly seconds?: { toString(): string } | null } | null
}
const buildOf = (version?: Version) => version?.deploymentVersion?.buildId ?? undefined
const createdAt = (version?: Version) => Number(version?.createTime?.seconds?.toString() ?? 0)

/**
 * Makes this version current as soon as Temporal has registered its workers. A newer version stays current, so that an
 * old process that restarts during an upgrade does not roll it back.
 */
export async function promoteVersion(
  client: Client,
  namespace: string,
  buildId: string,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const deployment = { namespace, deploymentName: DEPLOYMENT }
  for (let delayMs = FIRST_DELAY_MS; !signal.aborted; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      const { workerDeploymentInfo: known } = await client.workflowService.describeWorkerDeployment(deployment)
      const versions: readonly Version[] = known?.versionSummaries ?? []
      const current = known?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined
      if (current === buildId) return
      const mine = versions.find((version) => buildOf(version) === buildId)
      const theirs = versions.find((version) => current !== undefined && buildOf(version) === current)
      if (mine && theirs && createdAt(theirs) > createdAt(mine)) {
        log.warn({ buildId, current }, 'newer workflow version is current, finishing own workflows')
        return
      }
      if (mine) {
        await client.workflowService.setWorkerDeploymentCurrentVersion({ ...deployment, buildId })
        log.info({ buildId, before: current }, 'workflow version made current')
        return
      }
    } catch (error) {
      if (delayMs === MAX_DELAY_MS)
        log.warn({ err: error, buildId }, 'making workflow version current failed, retrying')
    }
    await delay(delayMs, undefined, { signal }).catch(() => {})
  }
}
