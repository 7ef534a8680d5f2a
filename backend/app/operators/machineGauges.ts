import { statfs } from 'node:fs/promises'
import os from 'node:os'
import { certificateExpiry } from '../../kernel/certificateExpiry.ts'
import { shareFor } from '../../kernel/shareFor.ts'
import type { Context } from '../context.ts'

/** Interval of the connections that read the certificate. */
const CERTIFICATE_MS = 3_600_000

/** Returns the memory that this process may use, in bytes: the limit of its container, or what the machine has. */
const memoryLimit = () => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, os.totalmem())

/** Registers the gauges of this process and its machine. Each process reports its own. */
export function registerMachineGauges({ config, observability }: Pick<Context, 'config' | 'observability'>): void {
  const { metrics, onCollect } = observability
  const role = metrics.gauge('kinora_role', '1 for each role of the process.', ['role'])
  for (const name of config.roles) role.set({ role: name }, 1)
  metrics.gauge('kinora_memory_limit_bytes', 'Memory that the process may use.').set(memoryLimit())

  const free = metrics.gauge('kinora_disk_free_bytes', 'Free space in DATA_DIR.')
  const share = metrics.gauge('kinora_disk_free_ratio', 'Free space in DATA_DIR as a part of its disk, 0 to 1.')
  onCollect(async () => {
    const { bavail, bsize, blocks } = await statfs(config.dataDir)
    free.set(bavail * bsize)
    share.set(blocks > 0 ? bavail / blocks : 0)
  })

  const expiry = metrics.gauge(
    'kinora_certificate_expiry_timestamp_seconds',
    'When the certificate of PUBLIC_URL expires, in epoch seconds; 0 without https, or if it was never read.',
  )
  const url = config.http.publicUrl ? new URL(config.http.publicUrl) : undefined
  if (url?.protocol !== 'https:') return
  const read = shareFor(CERTIFICATE_MS, () =>
    certificateExpiry(url).then(
      (expiresAt) => expiry.set(expiresAt / 1000),
      () => {},
    ),
  )
  // A slow answer must not delay the other metrics.
  onCollect(() => void read())
}
