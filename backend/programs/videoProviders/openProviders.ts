import pg from 'pg'
import { pino } from 'pino'
import { readConfig } from '../../app/config/readConfig.ts'
import { openDefinitions } from '../../app/video/openDefinitions.ts'
import { openVideoProviders } from '../../app/video/videoProviders.ts'
import { versionOf } from '../../tasks/catalogue/catalogue.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'

/** Opens the configured providers without the server, whose limits and circuit breakers a check does not use. */
export async function openProviders(env: NodeJS.ProcessEnv) {
  // A restore on a new machine needs an empty folder.
  const config = readConfig(env, false)
  const log = pino({ level: 'silent' })
  const query = () => Promise.reject(new Error('the check uses no database'))
  const pool = Object.assign(new pg.Pool(), { query })
  const context = { config, log, pool }
  const providers = new Map<string, VideoProvider>(openVideoProviders(context, {}))
  const definitions = await openDefinitions({
    ...context,
    keyOf: config.video.keyOf,
    catalogueModel: (file) => ({ ...file, version: versionOf(file) }),
    onProvider: (name, provider) => void (provider && providers.set(name, provider)),
  })
  const close = async () => {
    await definitions.close()
    for (const provider of providers.values()) await provider.close()
  }
  return { ...context, context, providers, definitions, close }
}
