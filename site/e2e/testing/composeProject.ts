import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const ROOT = path.resolve(import.meta.dirname, '../../..')

export type Level = 'small' | 'full'

export interface ComposeProject {
  readonly url: string
  /** Environment in which `docker compose` commands are those of this project. */
  readonly environment: NodeJS.ProcessEnv
  /** Runs `docker compose` with these arguments and returns what it prints. @throws with its output if it fails */
  compose(...args: string[]): string
  /** Runs a command in the `ops` service. @param input of the command */
  ops(line: string, input?: string): { readonly status: number | null; readonly output: string }
  /** Runs a script in the container of the `ops` service. */
  shell(script: string): void
  /** Builds the images, except Kinora's if there is one already, and starts the level. */
  start(): Promise<void>
  /** Removes containers, networks and volumes. */
  remove(): void
}

/** Returns what this machine lacks to run a level. Downloads the images that are named in its files. */
export function lackingForCompose(level: Level): string {
  if (spawnSync('docker', ['compose', 'version']).status !== 0) return 'Docker with Compose'
  if (spawnSync('docker', ['version']).status !== 0) return 'a Docker Engine'
  const env = { ...process.env, COMPOSE_PROFILES: level }
  const images = execFileSync('docker', ['compose', 'config', '--images'], { cwd: ROOT, env, encoding: 'utf8' })
  const missing = images
    .split('\n')
    .filter((image) => image && !image.endsWith(':local') && image !== process.env.KINORA_IMAGE)
    .find((image) => spawnSync('docker', ['image', 'inspect', image]).status !== 0 && !isPulled(image))
  return missing ? `the image ${missing}` : ''
}

const isPulled = (image: string) => spawnSync('docker', ['pull', '--quiet', image]).status === 0

/** Describes a level as a project of its own. @param port of the entry @param others further settings */
export function composeProject(level: Level, port: number, others: Record<string, string> = {}): ComposeProject {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-compose-'))
  const settings = path.join(folder, '.env')
  const url = `http://localhost:${port}`
  // As an operator who keeps the key apart from the backups.
  const env: Record<string, string | number> = {
    COMPOSE_PROFILES: level,
    PUBLIC_URL: url,
    ENTRY_PORT: port,
    TEMPORAL_UI_PORT: 0,
    ENCRYPTION_KEY: 'ab'.repeat(32),
    ...others,
  }
  writeFileSync(
    settings,
    Object.entries(env)
      .map((setting) => setting.join('='))
      .join('\n'),
  )
  const project = { COMPOSE_PROJECT_NAME: `kinora-${level}-${process.pid}`, COMPOSE_ENV_FILES: settings }
  // A variable of the environment would take precedence over the file.
  const environment: NodeJS.ProcessEnv = { ...process.env, ...project, ...others }
  const options = { cwd: ROOT, env: environment, encoding: 'utf8' } as const
  const run = (args: readonly string[]) => spawnSync('docker', ['compose', ...args], options)
  const compose = (...args: string[]) => {
    const { status, stdout, stderr } = run(args)
    if (status !== 0) throw new Error(`docker compose ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }
  return {
    url,
    environment,
    compose,
    ops: (line, input = '') => {
      // A shell reads the quotes in a documented command.
      const command = `docker compose run --rm -T --quiet-pull ops ${line}`
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { ...options, input })
      return { status, output: stdout + stderr }
    },
    shell: (script) => void compose('run', '--rm', '-T', '--entrypoint', 'sh', 'ops', '-c', script),
    start: async () => {
      const withoutKinora = level === 'full' ? ['entry', 'media'] : ['entry']
      compose('build', ...(environment.KINORA_IMAGE ? withoutKinora : []))
      compose('up', '-d', '--no-build')
      await untilServed(url)
    },
    remove: () => {
      run(['--profile', 'ops', 'down', '--volumes', '--remove-orphans'])
      rmSync(folder, { recursive: true })
    },
  }
}

async function untilServed(url: string): Promise<void> {
  for (const deadline = Date.now() + 180_000; ; await delay(500)) {
    const answer = await fetch(`${url}/api/v1/status`).catch(() => undefined)
    if (answer?.ok) return
    if (Date.now() > deadline) throw new Error(`${url} does not answer: ${answer?.status}`)
  }
}
