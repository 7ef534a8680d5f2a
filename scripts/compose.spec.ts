import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DCLinter } from 'dclint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { VARIABLES } from '#backend/app/config/environment.ts'
import { readConfig } from '#backend/app/config/readConfig.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

interface Bind {
  type: 'bind'
  source: string
  target: string
  read_only: boolean
  bind: { create_host_path: boolean }
}

interface Service {
  image?: string
  build?: unknown
  user?: string
  restart?: string
  healthcheck?: { test: string[] }
  environment?: Record<string, string>
  ports?: string[]
  volumes?: (string | Bind)[]
  privileged?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  deploy?: { replicas?: number; resources?: { limits?: { cpus?: string; memory?: string } } }
}

const compose = parse(textOf('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const services = Object.entries(compose.services)
const service = (name: string): Service => compose.services[name]!
const OURS = ['api', 'projections', 'workers']

/** Replaces `${NAME:-default}` and `${NAME:+replacement}` as Compose does. By default, all variables are unset. */
const substituted = (text: string, env: Record<string, string> = {}) =>
  text.replace(/\$\{(\w+)(?::([-+])([^}]*))?\}/g, (_, name: string, kind?: string, other = '') => {
    const value = env[name] ?? ''
    if (kind === '+') return value && other
    return value || other
  })

interface Fault {
  readonly rule: string
  readonly message: string
}

/** Returns violations of the Compose schema, which the linter contains. Its other rules are matters of taste. */
function schemaFaults(file: string): Fault[] {
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] })
  const faults: Fault[] = linter.lintFiles([file], false).flatMap(({ messages }: { messages: Fault[] }) => messages)
  return faults.filter(({ rule }) => /^(invalid|no-duplicate)-/.test(rule))
}

describe('docker-compose.yml', () => {
  it('conforms to the schema of the Compose specification', () => {
    expect(schemaFaults(path.join(ROOT, 'docker-compose.yml'))).toEqual([])
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-compose-'))
    const broken = textOf('docker-compose.yml').replace('healthcheck:', 'healtcheck:')
    writeFileSync(path.join(folder, 'docker-compose.yml'), broken)
    expect(schemaFaults(path.join(folder, 'docker-compose.yml'))).not.toEqual([])
    rmSync(folder, { recursive: true })
  })

  it('runs all services of production and publishes only the entry', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual([
      'api',
      'bucket',
      'database',
      'entry',
      'eventstore',
      'mail',
      'media',
      'projections',
      'temporal',
      'temporal-database',
      'workers',
    ])
    const published = services.filter(([, { ports }]) => ports)
    expect(published.map(([name]) => name)).toEqual(['entry'])
    expect(OURS.map((name) => [service(name).environment?.ROLES, service(name).deploy?.replicas])).toEqual([
      ['api', 2],
      ['projections', 1],
      ['workflows', 2],
    ])
  })

  for (const [name, each] of services)
    it(`runs ${name} in a pinned version, unprivileged, with limits and a health check`, () => {
      if (each.build === undefined || name === 'bucket')
        expect(each.image, 'a pinned version').toMatch(/^(?:[\w./-]+:v?\d+\.\d+[\w.-]*|kinora-media:local)$/)
      expect(each.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
      expect(each.privileged).toBe(undefined)
      expect(each.cap_drop).toEqual(['ALL'])
      expect(each.security_opt).toEqual(['no-new-privileges:true'])
      expect(Number(each.deploy?.resources?.limits?.cpus)).toBeGreaterThan(0)
      expect(each.deploy?.resources?.limits?.memory).toMatch(/^\d+[mg]$/)
      // A one-off job needs no health check.
      if (each.restart !== 'no') expect(each.healthcheck?.test.length).toBeGreaterThan(1)
      for (const volume of (each.volumes ?? []).filter((volume) => typeof volume === 'string'))
        expect(volume.startsWith('./') || volume.split(':')[0]! in compose.volumes, volume).toBe(true)
    })

  it('passes exactly the known variables to every process', () => {
    for (const name of OURS)
      expect(Object.keys(service(name).environment ?? {}).toSorted()).toEqual(VARIABLES.toSorted())
  })

  it('starts without keys in development mode, with EventStoreDB and Temporal', () => {
    for (const name of OURS) {
      const environment = Object.entries(service(name).environment ?? {}).map(([key, value]) => [
        key,
        substituted(value),
      ])
      const config = readConfig(Object.fromEntries(environment))
      expect(config).toMatchObject({
        production: false,
        http: { publicUrl: 'http://localhost:8080', trustedProxies: 1 },
        video: { minimax: undefined },
        payments: { paypal: undefined },
        mail: { url: 'smtp://mail:1025?ignoreTLS=true' },
        storage: { endpoint: 'http://media:8333', bucket: 'kinora' },
        database: { url: 'postgres://kinora:kinora@database:5432/kinora' },
        eventStore: { url: 'esdb://eventstore:2113?tls=false' },
      })
    }
  })

  it.each([
    ['EVENTSTORE_CA', 0],
    ['AUDIT_KEY_FILE', 1],
    ['C2PA_CERTIFICATE_FILE', 2],
    ['C2PA_KEY_FILE', 3],
  ])('mounts the file that %s names, read-only, and tells each process where it is', (variable, index) => {
    for (const name of OURS) {
      const { environment, volumes = [] } = service(name)
      const mounts = volumes as Bind[]
      const mount = mounts[index]
      expect([mounts.length, mount?.read_only, mount?.bind]).toEqual([4, true, { create_host_path: false }])
      for (const file of ['', '/etc/kinora/file.pem']) {
        const env = { [variable]: file }
        expect(substituted(mount!.source, env)).toBe(file || '/dev/null')
        expect(substituted(environment![variable]!, env)).toBe(file && mount!.target)
      }
    }
  })

  it('is refused in production with its development secrets', () => {
    const environment = Object.entries(service('api').environment ?? {}).map(([key, value]) => [
      key,
      substituted(value),
    ])
    expect(() => readConfig({ ...Object.fromEntries(environment), NODE_ENV: 'production' })).toThrow(
      /SESSION_SECRET: the value in docker-compose.yml[\s\S]*OPERATOR_PASSWORD: the[\s\S]*ENCRYPTION_KEY: the/,
    )
  })
})

describe('the image', () => {
  it('is built in two stages from the Node version of package.json, and runs unprivileged', () => {
    const lines = textOf('Dockerfile').split('\n')
    const from = lines.filter((line) => line.startsWith('FROM '))
    const { node } = (JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> }).dependencies
    expect(from).toEqual([`FROM node:${node}-bookworm-slim AS build`, `FROM node:${node}-bookworm-slim`])
    expect(lines).toContain('USER 1000:1000')
    expect(lines.findIndex((line) => line.startsWith('USER'))).toBeGreaterThan(lines.lastIndexOf(from.at(-1)!))
  })

  it('contains no secrets, data or history', () => {
    const [first, ...rules] = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
    expect(first).toBe('*')
    expect(rules.filter((rule) => rule.startsWith('!')).toSorted()).toEqual(
      [
        '!.npmrc',
        '!backend',
        '!content',
        '!package-lock.json',
        '!package.json',
        '!projections',
        '!scripts',
        '!site',
        '!tsconfig.json',
        '!workflows',
      ].toSorted(),
    )
  })
})

describe('.env.example', () => {
  it('documents exactly the known variables', () => {
    const named = [...textOf('.env.example').matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!)
    expect(named.toSorted()).toEqual(VARIABLES.toSorted())
    expect(new Set(named).size).toBe(named.length)
  })
})
