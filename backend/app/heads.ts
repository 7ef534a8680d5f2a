import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type HeadPlace, writeHead } from '../audit/heads/writeHead.ts'
import { signingKey } from '../audit/signingKey.ts'
import { pause } from '../kernel/backoff.ts'
import type { MediaStore } from '../kernel/media/mediaStore.port.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../providers/storage/s3MediaStore.ts'
import type { Context } from './context.ts'
import { leased, type Running } from './leases.ts'

const LATEST = 'latest.json'

/** Stores heads as files, and the last one also under a fixed name. */
export function headPlace(files: MediaStore, prefix: string, temporaryDir: string): HeadPlace {
  const put = async (name: string, content: string) => {
    const file = path.join(temporaryDir, `head-${name}`)
    await writeFile(file, content)
    await files.put(`${prefix}${name}`, file)
  }
  return {
    async put(name, content) {
      await put(name, content)
      await put(LATEST, content)
    },
    async latest() {
      const size = await files.size(`${prefix}${LATEST}`)
      return size === undefined ? undefined : text(files.read(`${prefix}${LATEST}`))
    },
  }
}

/** Time before the first head, so that it does not delay the start, and between heads, ms. */
const TIMING = { first: 60_000, every: 3_600_000, retry: 60_000 }

type HeadContext = Pick<Context, 'store' | 'clock' | 'leases' | 'temporaryDir'> & {
  readonly config: Pick<Context['config'], 'auditKeyFile' | 'dataDir' | 'headsTo'>
  readonly log: Pick<Context['log'], 'info' | 'warn' | 'error'>
}

/** Returns the signing key; undefined if the data folder is read-only and no other key is configured. */
function openKey({ auditKeyFile, dataDir }: HeadContext['config'], log: HeadContext['log']) {
  try {
    return signingKey(auditKeyFile, dataDir)
  } catch (error) {
    log.warn({ err: error }, 'no key to sign ledger heads')
    return undefined
  }
}

/** Writes a signed head of the ledger every hour, in one process at a time. */
export function startHeads(context: HeadContext, { first, every, retry } = TIMING): Running {
  const { config, store, clock, log, leases, temporaryDir } = context
  const { headsTo } = config
  const files =
    'folder' in headsTo ? createFolderMediaStore(headsTo.folder) : createS3MediaStore(headsTo.bucket, temporaryDir)
  const place = headPlace(files, 'folder' in headsTo ? '' : headsTo.prefix, temporaryDir)
  const write = async (signal: AbortSignal) => {
    const key = openKey(config, log)
    for (let wait = first; key; ) {
      await pause(wait, signal)
      if (signal.aborted) return
      try {
        const events = await writeHead(store, place, { key, createdAt: new Date(clock()).toISOString(), signal })
        if (events > 0) log.info({ events }, 'ledger head written')
        wait = every
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error, alert: 'ledger_head_failed' }, 'ledger head not written, retrying')
        wait = retry
      }
    }
  }
  return leased(leases, 'heads', () => {
    const halt = new AbortController()
    const done = write(halt.signal)
    return {
      started: Promise.resolve(),
      async stop() {
        halt.abort()
        await done
      },
    }
  })
}
