import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'

export const ROOT = path.resolve(import.meta.dirname, '..')
const FOLDER = 'docs/operations/compose'

export interface Bind {
  type: 'bind'
  source: string
  target: string
  read_only: boolean
  bind: { create_host_path: boolean }
}

export interface Service {
  image?: string
  build?: unknown
  user?: string
  restart?: string
  profiles?: string[]
  networks?: string[] | Record<string, unknown>
  entrypoint?: string[]
  healthcheck?: { test: string[] } | { disable: true }
  environment?: Record<string, string>
  ports?: string[]
  volumes?: (string | Bind)[]
  depends_on?: Record<string, unknown>
  privileged?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  deploy?: { replicas?: number; resources?: { limits?: { cpus?: string; memory?: string } } }
}

interface Extending extends Service {
  extends?: { file?: string; service: string }
}

interface File {
  services: Record<string, Extending>
  volumes?: Record<string, unknown>
  networks?: Record<string, { internal?: boolean } | null>
}

const read = (file: string) => parse(readFileSync(path.join(ROOT, file), 'utf8'), { merge: true }) as File

/** Merges as Compose does: lists are joined, maps are merged, other values are replaced. */
function merged(base: Service, over: Service): Service {
  const lists = { volumes: [...(base.volumes ?? []), ...(over.volumes ?? [])] }
  return { ...base, ...over, ...lists, environment: { ...base.environment, ...over.environment } }
}

/** Resolves `extends`, in the same file unless it names another. */
function extended(service: Extending, file: File): Service {
  const { extends: base, ...own } = service
  if (!base) return service
  const from = base.file ? read(base.file) : file
  return merged(extended(from.services[base.service]!, from), own)
}

/** The files that docker-compose.yml includes for a level. */
export const filesOf = (level: string, isPublic: boolean) => [
  `${FOLDER}/base/${level}.yml`,
  `${FOLDER}/${level}${isPublic ? '-public' : ''}.yml`,
]

/** Reads a level as docker-compose.yml includes it, before variables are replaced. */
export function readLevel(level: 'small' | 'full', isPublic = false) {
  const [base, overlay] = filesOf(level, isPublic).map(read) as [File, File]
  const services = Object.fromEntries(
    [...new Set([...Object.keys(base.services), ...Object.keys(overlay.services)])].map((name) => [
      name,
      merged(base.services[name] ? extended(base.services[name], base) : {}, overlay.services[name] ?? {}),
    ]),
  )
  return { services, volumes: base.volumes ?? {}, networks: base.networks ?? {} }
}

/** Replaces `${NAME:-default}` and `${NAME:+replacement}`, inner ones first, as Compose does. */
export function substituted(text: string, env: Record<string, string> = {}): string {
  const next = text.replace(/\$\{(\w+)(?::([-+])([^${}]*))?\}/g, (_, name: string, kind?: string, other = '') => {
    const value = env[name] ?? ''
    return kind === '+' ? value && other : value || other
  })
  return next === text ? text : substituted(next, env)
}
