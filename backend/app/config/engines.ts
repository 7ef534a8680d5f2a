import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isPrivateHost } from '../../kernel/http/outgoing/guardedRequest.ts'
import { parseDefinition } from '../../providers/video/definitions/parseDefinition.ts'
import type { Environment } from './environment.ts'
import { readVideo } from './videoConfig.ts'

/**
 * Settings that configure a video engine each. Production needs one of them, or a provider of the operator's own. See
 * docs/decisions/0024-private-installations.md and docs/decisions/0032-limits-and-costs-without-plans.md.
 */
const ENGINES = [
  'MINIMAX_API_KEY',
  'VIDEOS_API_URL',
  'COMFYUI_URL',
  'FAL_KEY',
  'REPLICATE_API_TOKEN',
  'ARK_API_KEY',
  'RUNWAYML_API_SECRET',
] as const satisfies readonly (keyof Environment)[]

/** Addresses of engines that operators host themselves, often in a network without certificates. */
const SELF_HOSTED = ['VIDEOS_API_URL', 'COMFYUI_URL'] as const

/** Returns whether a valid file of `DATA_DIR/providers` describes a provider whose key is set. */
function hasOwnDefinition(env: Environment, environment: NodeJS.ProcessEnv): boolean {
  const { keyOf } = readVideo(env, environment)
  const folder = path.join(env.DATA_DIR, 'providers')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  return names.some((name) => {
    try {
      const file = JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
      return keyOf(parseDefinition(file, path.basename(name, '.json')).key.variable) !== undefined
    } catch {
      // The server logs why it refuses a file.
      return false
    }
  })
}

/**
 * Returns whether the demo renderer makes videos. By default it does in development, until an engine is set: the models of an engine
 * and drawings in one list would be confused.
 */
export function usesDemo(env: Environment, environment: NodeJS.ProcessEnv): boolean {
  if (env.DEMO !== 'auto') return env.DEMO === 'on'
  return env.NODE_ENV !== 'production' && !hasEngine(env, environment)
}

const hasEngine = (env: Environment, environment: NodeJS.ProcessEnv) =>
  ENGINES.some((name) => env[name]) || hasOwnDefinition(env, environment)

/** Returns why this installation cannot make videos, if it cannot. */
export const missingEngine = (env: Environment, environment: NodeJS.ProcessEnv): string[] =>
  hasEngine(env, environment) || usesDemo(env, environment)
    ? []
    : [
        `No video engine is set: set one of ${ENGINES.join(', ')}, or the key of a file in DATA_DIR/providers. The demo renderer, which draws, is used with DEMO=on`,
      ]

/** Returns the reasons why production cannot make videos safely, a sentence each. */
export const engineFaults = (env: Environment, environment: NodeJS.ProcessEnv): string[] => [
  ...missingEngine(env, environment),
  ...SELF_HOSTED.filter((name) => env[name] && isExposed(new URL(env[name]))).map(
    (name) => `${name} is not https and not in a private network: prompts and keys would be readable on the way`,
  ),
]

const isExposed = ({ protocol, hostname }: URL) => protocol !== 'https:' && !isPrivateHost(hostname)
