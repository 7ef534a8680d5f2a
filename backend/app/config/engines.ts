import { isIP } from 'node:net'
import { isPublicAddress } from '../../kernel/http/publicLookup.ts'
import { isLoopback } from '../../kernel/isLoopback.ts'
import type { Environment } from './environment.ts'

/**
 * Settings that configure a video engine each. Production needs one of them. See
 * docs/decisions/0024-private-installations.md.
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

const PRIVATE_NAME = /^[^.:]+$|\.(local|internal|lan|home\.arpa)$/

/** Returns whether a host, as in a URL, is this machine or belongs to a private network. */
function isPrivate(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return isLoopback(host) || (isIP(address) ? !isPublicAddress(address) : PRIVATE_NAME.test(host))
}

/** Returns the reasons why production cannot make videos safely, a sentence each. */
export function engineFaults(env: Environment): string[] {
  const isSet = ENGINES.some((name) => env[name])
  return [
    ...(isSet
      ? []
      : [`No video engine is set: set one of ${ENGINES.join(', ')}. The demo renderer is for development`]),
    ...SELF_HOSTED.filter((name) => env[name] && isExposed(new URL(env[name]))).map(
      (name) => `${name} is not https and not in a private network: prompts and keys would be readable on the way`,
    ),
  ]
}

const isExposed = ({ protocol, hostname }: URL) => protocol !== 'https:' && !isPrivate(hostname)
