import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { DEPLOYMENT } from './names.ts'
import type { Log } from './runtime.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

interface Version {
  readonly deploymentVersion?: { readonly buildId?: string | null } | null
  readonly createTime?: { readonly seconds?: { toString(): string } | null } | null
}
const buildOf = (version?: Version) => version?.deploymentVersion?.buildId ?? undefined
const bornOf = (version?: Version) => Number(version?.createTime?.seconds?.toString() ?? 0)

/**
 * Makes this version the one that workflows run on, as soon as Temporal has seen its workers; unless a newer one has that
 * place already, so that an old process which starts again in the middle of an upgrade takes nothing back.
 */
export async function takeOver(
  client: Client,
  namespace: string,
  buildId: string,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const deployment = { namespace, deploymentName: DEPLOYMENT }
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const { workerDeploymentInfo: known } = await client.workflowService.describeWorkerDeployment(deployment)
      const versions: readonly Version[] = known?.versionSummaries ?? []
      const current = known?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined
      if (current === buildId) return
      const mine = versions.find((version) => buildOf(version) === buildId)
      const theirs = versions.find((version) => current !== undefined && buildOf(version) === current)
      if (mine && theirs && bornOf(theirs) > bornOf(mine)) {
        log.warn({ buildId, current }, 'newer workflow version is current, finishing own workflows')
        return
      }
      if (mine) {
        await client.workflowService.setWorkerDeploymentCurrentVersion({ ...deployment, buildId })
        log.info({ buildId, before: current }, 'workflow version made current')
        return
      }
    } catch (error) {
      if (wait === LONGEST_WAIT_MS)
        log.warn({ err: error, buildId }, 'making workflow version current failed, retrying')
    }
    await delay(wait, undefined, { signal }).catch(() => {})
  }
}
