import path from 'node:path'
import { createGuard } from '../../kernel/http/outgoing/guardedRequest.ts'
import { createOperatorAlerts } from '../../operators/alerts/operatorAlerts.ts'
import type { GraphSetup } from '../../operators/graphSetup.port.ts'
import { createComfyui } from '../../providers/video/comfyui/comfyui.ts'
import { createComfyuiSetup } from '../../providers/video/comfyui/setup/comfyuiSetup.ts'
import { createDemoProvider } from '../../providers/video/demo/demoProvider.ts'
import { callbackUrlOf, isPublicUrl } from '../../providers/video/minimax/callbackRoutes.ts'
import { createMinimax } from '../../providers/video/minimax/minimax.ts'
import { createVideosApi } from '../../providers/video/videosApi/videosApi.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'
import { headerOf } from '../config/videoConfig.ts'
import type { Context, Overrides } from '../context.ts'
import type { EngineSetting, EngineSettings } from './engineSettings.ts'

/** Creates the guard of addresses that definitions and answers of engines name. Engines in private networks may lack TLS. */
export const engineGuard = ({ privateHosts }: Pick<Context['config'], 'privateHosts'>) =>
  createGuard({ privateHosts, allowsHttp: true, hint: ': WEBHOOK_PRIVATE_HOSTS can name it' })

/** What providers need; their limits and circuit breakers are in the database. */
export type VideoContext = Pick<Context, 'config' | 'pool' | 'log'>

/**
 * Opens each configured video provider, keyed by the name that routes of models use. The demo renderer stands in for MiniMax's
 * models where no engine is set.
 */
export function openVideoProviders(context: VideoContext, overrides: Overrides): ReadonlyMap<string, VideoProvider> {
  if (overrides.providers) return overrides.providers
  if (overrides.provider) return new Map([['demo', overrides.provider]])
  const opened = [openMinimax(context, overrides), openVideosApi(context), openComfyui(context), openDemo(context)]
  return byName(opened.flat())
}

const byName = (providers: readonly VideoProvider[]) => new Map(providers.map((provider) => [provider.name, provider]))

const openMinimax = (context: VideoContext, overrides: Overrides) => {
  const { minimax } = context.config.video
  return minimax ? [minimaxAt(minimax, context, overrides)] : []
}

function minimaxAt(
  minimax: NonNullable<VideoContext['config']['video']['minimax']>,
  { config, pool, log }: VideoContext,
  { minimax: timing }: Overrides,
): VideoProvider {
  const { publicUrl } = config.http
  const reachable = publicUrl !== undefined && (isPublicUrl(publicUrl) || timing?.callbacks)
  const callbackUrl = (taskId: string) =>
    reachable ? callbackUrlOf(publicUrl, config.secrets.session, taskId) : undefined
  const alerts = createOperatorAlerts(pool, log)
  return createMinimax({ ...minimax, guard: engineGuard(config), pool, log, alerts, callbackUrl, timing })
}

function openVideosApi({ config, pool, log }: VideoContext): readonly VideoProvider[] {
  const { videosApi } = config.video
  const alerts = createOperatorAlerts(pool, log)
  return videosApi ? [createVideosApi({ ...videosApi, guard: engineGuard(config), pool, log, alerts })] : []
}

function openComfyui({ config, pool, log }: VideoContext): readonly VideoProvider[] {
  const { comfyui, ffmpegPath } = config.video
  const folder = path.join(config.dataDir, 'comfyui')
  const alerts = createOperatorAlerts(pool, log)
  const guard = engineGuard(config)
  return comfyui ? [createComfyui({ ...comfyui, guard, folder, ffmpegPath, pool, log, alerts })] : []
}

/** Opens the set-up of graphs, if a ComfyUI server is configured or connected. */
export function openGraphSetup(
  { config }: Pick<VideoContext, 'config'>,
  providers: ReadonlyMap<string, VideoProvider>,
  settings: Pick<EngineSettings, 'current'>,
): GraphSetup | undefined {
  const own = settings.current().get('comfyui')
  const comfyui = own?.url ? { baseUrl: own.url, headers: headerOf(own.key) } : config.video.comfyui
  const { ffmpegPath } = config.video
  const provider = providers.get('comfyui')
  const folder = path.join(config.dataDir, 'comfyui')
  return (
    comfyui && provider && createComfyuiSetup({ ...comfyui, guard: engineGuard(config), folder, ffmpegPath, provider })
  )
}

/** Opens an engine that was connected on the board: `videos-api`, `comfyui` or, by the variable of its key, MiniMax. */
export function openConnected(
  name: string,
  { url: baseUrl = '', key }: EngineSetting,
  context: VideoContext,
  overrides: Overrides,
): VideoProvider | undefined {
  const { config } = context
  const video = { ...config.video, minimax: undefined, videosApi: undefined, comfyui: undefined }
  const withVideo = (more: Partial<typeof config.video>) => ({
    ...context,
    config: { ...config, video: { ...video, ...more } },
  })
  if (name === 'videos-api')
    return openVideosApi(withVideo({ videosApi: { baseUrl, apiKey: key, models: undefined } }))[0]
  if (name === 'comfyui') return openComfyui(withVideo({ comfyui: { baseUrl, headers: headerOf(key) } }))[0]
  if (name !== 'MINIMAX_API_KEY' || !key) return undefined
  return minimaxAt({ ...config.video.minimaxDefaults, apiKey: key }, context, overrides)
}

function openDemo({ config: { dataDir, video } }: VideoContext): readonly VideoProvider[] {
  return video.demo ? [createDemoProvider(path.join(dataDir, 'demo'), video.ffmpegPath)] : []
}
