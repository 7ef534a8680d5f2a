import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { DEPLOYMENT, queueOf } from './names.ts'
import type { Log } from './runtime.ts'

const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000
/** Time after the last poll of a version's workers. A poll without a task takes a minute. */
const ABANDONED_MS = 90_000

interface Version {
  readonly deploymentVersion?: { readonly buildId?: string | null } | null
  readonly createTime?: { readonly seconds?: { toString(): string } | null } | null
}
const buildOf = (version?: Version) => version?.deploymentVersion?.buildId ?? undefined
const createdAt = (version?: Version) => Number(version?.createTime?.seconds?.toString() ?? 0)

interface PromoteOptions {
  readonly log: Log
  readonly signal: AbortSignal
  /** Time without a poll after which a version counts as abandoned, ms. */
  readonly abandonedMs?: number | undefined
}

/**
 * Makes this version current as soon as Temporal has registered its workers, until `signal` aborts. A newer version stays
 * current while it has workers, so that an old process that restarts during an upgrade does not roll it back. After a
 * rollback it has none, and its runs would wait forever.
 */
export async function promoteVersion(
  client: Client,
  namespace: string,
  buildId: string,
  { log, signal, abandonedMs = ABANDONED_MS }: PromoteOptions,
): Promise<void> {
  const deployment = { namespace, deploymentName: DEPLOYMENT }
  const msSincePoll = createPollWatch(client, namespace)
  let newer: string | undefined
  for (let delayMs = FIRST_DELAY_MS; !signal.aborted; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      const { workerDeploymentInfo: known } = await client.workflowService.describeWorkerDeployment(deployment)
      const versions: readonly Version[] = known?.versionSummaries ?? []
      const current = known?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined
      const mine = versions.find((version) => buildOf(version) === buildId)
      const theirs = versions.find((version) => current !== undefined && buildOf(version) === current)
      if (mine && current !== buildId) {
        const isNewer = theirs && createdAt(theirs) > createdAt(mine)
        if (isNewer && current && (await msSincePoll(current)) < abandonedMs) {
          if (newer !== current)
            log.warn({ buildId, current }, 'newer workflow version is current, finishing own workflows')
          newer = current
        } else {
          await client.workflowService.setWorkerDeploymentCurrentVersion({ ...deployment, buildId })
          log.info({ buildId, before: current }, 'workflow version made current')
        }
      }
    } catch (error) {
      if (delayMs === MAX_DELAY_MS)
        log.warn({ err: error, buildId }, 'making workflow version current failed, retrying')
    }
    await delay(delayMs, undefined, { signal }).catch(() => {})
  }
}

/**
 * Creates a function that returns for how long no new poll of a version's workers was seen, in ms. Polls carry the time of
 * the server, whose clock may differ from this one, so each counts from when it is first seen here.
 */
function createPollWatch(client: Client, namespace: string) {
  let seen = { buildId: '', polledAt: 0, at: 0 }
  return async (buildId: string): Promise<number> => {
    const taskQueue = { name: queueOf('main') }
    const { pollers } = await client.workflowService.describeTaskQueue({ namespace, taskQueue })
    const own = (pollers ?? []).filter(({ deploymentOptions }) => deploymentOptions?.buildId === buildId)
    if (own.length === 0) return Number.POSITIVE_INFINITY
    const polledAt = Math.max(...own.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0)))
    const now = performance.now()
    if (seen.buildId !== buildId || polledAt > seen.polledAt) seen = { buildId, polledAt, at: now }
    return now - seen.at
  }
}
