import { trimEnd } from '../../kernel/trimEnd.ts'
import { type Environment, VARIABLES } from './environment.ts'

export type VideoConfig = ReturnType<typeof readVideo>

/** Reads the video providers. One that is not configured is undefined; without any, the demo renderer is used. */
export function readVideo(env: Environment, environment: NodeJS.ProcessEnv) {
  const { MINIMAX_API_KEY, MINIMAX_BASE_URL, VIDEOS_API_URL, VIDEOS_API_KEY, VIDEOS_API_MODEL } = env
  const createsPerMinute = env.MINIMAX_CREATES_PER_MINUTE
  return {
    /** Of the provider whose key is entered on the board. */
    minimaxDefaults: { baseUrl: MINIMAX_BASE_URL, createsPerMinute },
    minimax: MINIMAX_API_KEY ? { apiKey: MINIMAX_API_KEY, baseUrl: MINIMAX_BASE_URL, createsPerMinute } : undefined,
    /** A server of the `/v1/videos` shape. */
    videosApi: VIDEOS_API_URL
      ? { baseUrl: withoutVersion(VIDEOS_API_URL), apiKey: VIDEOS_API_KEY, models: namesIn(VIDEOS_API_MODEL) }
      : undefined,
    comfyui: env.COMFYUI_URL
      ? { baseUrl: trimEnd(env.COMFYUI_URL, '/'), headers: headerOf(env.COMFYUI_HEADER) }
      : undefined,
    /** Returns the key of a provider definition by its variable. */
    keyOf: (variable: string) => (isProviderKey(variable) ? environment[variable] || undefined : undefined),
    ffmpegPath: env.FFMPEG_PATH,
  }
}

/** Keys that the shipped definitions name. */
const PROVIDER_KEYS = ['MINIMAX_API_KEY', 'FAL_KEY', 'REPLICATE_API_TOKEN', 'ARK_API_KEY', 'RUNWAYML_API_SECRET']

/** A definition's file may name any variable, but must not send Kinora's own secrets to a provider. */
const isProviderKey = (variable: string) => PROVIDER_KEYS.includes(variable) || !VARIABLES.includes(variable)

/** Accepts the address with or without `/v1`, because clients of this shape differ in what they ask for. */
const withoutVersion = (url: string) => trimEnd(url, '/').replace(/\/v1$/, '')

/** Splits a list at its commas; undefined if it is empty. */
function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = (list ?? '').split(',').map((name) => name.trim())
  const given = names.filter((name) => name !== '')
  return given.length > 0 ? given : undefined
}

/** Parses `Name: value`. */
export function headerOf(text: string | undefined): Readonly<Record<string, string>> {
  if (!text) return {}
  const colon = text.indexOf(':')
  return { [text.slice(0, colon)]: text.slice(colon + 1).trim() }
}
