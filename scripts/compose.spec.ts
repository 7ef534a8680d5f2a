import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DCLinter } from 'dclint'
import { describe, expect, it } from 'vitest'
import { startImage } from '#backend/accounts/start/start.contract.ts'
import { VARIABLES } from '#backend/app/config/environment.ts'
import { readConfig } from '#backend/app/config/readConfig.ts'
import { API_BASE } from '#backend/kernel/http/contract.ts'
import { uploadImage } from '#backend/tasks/contract.ts'
import { type Bind, filesOf, ROOT, readLevel, type Service, substituted } from './composeLevel.ts'
import { RETURN_MEMORY } from './run.mjs'

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
// See docs/decisions/0037-levels-are-included-files.md.
const LEVELS = { small: readLevel('small'), full: readLevel('full') }
const OURS = { small: ['kinora', 'ops'], full: ['api', 'projections', 'workers', 'ops'] }
const ours = (['small', 'full'] as const).flatMap((level) => OURS[level].map((name) => [level, name] as const))

const environmentOf = ({ environment = {} }: Service, env: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, substituted(value, env)]))

interface Fault {
  readonly rule: string
  readonly message: string
}

/** Returns violations of the Compose schema, which the linter contains. Its other rules are matters of taste. */
function schemaFaults(text: string): Fault[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-compose-'))
  const file = path.join(folder, 'docker-compose.yml')
  writeFileSync(file, text)
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] })
  const faults: Fault[] = linter.lintFiles([file], false).flatMap(({ messages }: { messages: Fault[] }) => messages)
  rmSync(folder, { recursive: true })
  return faults.filter(({ rule }) => /^(invalid|no-duplicate)-/.test(rule))
}

describe('docker-compose.yml', () => {
  it('includes files that exist for each level, with and without a domain', () => {
    const included = [...textOf('docker-compose.yml').matchAll(/^ +- (docs\/.*\.yml)$/gm)].map(([, file]) => file!)
    for (const level of ['small', 'full'])
      for (const SITE_ADDRESS of ['', 'videos.example.org']) {
        const env = { COMPOSE_PROFILES: level === 'full' ? level : '', SITE_ADDRESS }
        expect(included.map((file) => substituted(file, env))).toEqual(filesOf(level, SITE_ADDRESS !== ''))
      }
  })

  it('conforms to the schema of the Compose specification, with all files that it includes', () => {
    const folder = path.join(ROOT, 'docs/operations/compose')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yml'))
    expect(files.length).toBeGreaterThan(6)
    for (const file of files) expect(schemaFaults(textOf(`docs/operations/compose/${file}`)), file).toEqual([])
    expect(schemaFaults(textOf('docs/operations/compose/small.yml').replace('ports:', 'prots:'))).not.toEqual([])
  })

  it('starts four services, or the whole production layout', () => {
    const started = (level: 'small' | 'full') =>
      Object.entries(LEVELS[level].services)
        .filter(([, { profiles }]) => !profiles)
        .map(([name]) => name)
        .toSorted()
    expect(started('small')).toEqual(['database', 'entry', 'kinora'])
    const stores = ['bucket', 'database', 'eventstore', 'mail', 'media']
    const temporal = ['temporal', 'temporal-database', 'temporal-namespace', 'temporal-schema', 'temporal-ui']
    expect(started('full')).toEqual([...stores, ...temporal, 'api', 'entry', 'projections', 'workers'].toSorted())
    const { services } = LEVELS.full
    expect(
      ['api', 'projections', 'workers'].map((name) => [
        services[name]?.environment?.ROLES,
        services[name]?.deploy?.replicas,
      ]),
    ).toEqual([
      ['api', 2],
      ['projections', 1],
      ['workflows', 2],
    ])
  })

  it('gives the folder of backups to the processes that make them, and to the commands', () => {
    for (const [level, names] of [
      ['small', ['kinora', 'ops']],
      ['full', ['workers', 'ops']],
    ] as const)
      for (const name of names) expect(LEVELS[level].services[name]?.volumes).toContain('backups:/backups')
  })

  it('copies what a command writes to DATA_DIR, such as the keys of operators, and runs no jobs before it', () => {
    for (const [level, volume, copies] of [
      ['small', 'data:/data', 'kinora'],
      ['full', 'ops:/data', 'workers'],
    ] as const) {
      const { services } = LEVELS[level]
      const { volumes, depends_on: needs = {} } = services.ops!
      for (const mounted of [volumes, services[copies]!.volumes]) expect(mounted).toContain(volume)
      const isJob = (name: string) => /^(?:no|on-failure)/.test(services[name]?.restart ?? '')
      const all = (name: string): string[] =>
        Object.keys(services[name]?.depends_on ?? {}).flatMap((n) => [n, ...all(n)])
      expect(Object.keys(needs)).not.toEqual([])
      expect(all('ops').filter(isJob)).toEqual([])
    }
  })

  it('publishes ports on this machine alone, until a domain is set', () => {
    for (const level of ['small', 'full'] as const) {
      const published = Object.values(LEVELS[level].services).flatMap(({ ports = [] }) => ports)
      for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/)
      expect(readLevel(level, true).services.entry?.ports).toEqual(['80:80', '443:443', '443:443/udp'])
    }
  })

  it('lets no process of the full level use the event store or the workflow engine of the small one', () => {
    for (const name of OURS.full) {
      const { EVENTSTORE_URL, TEMPORAL_ADDRESS } = environmentOf(LEVELS.full.services[name]!)
      expect([EVENTSTORE_URL, TEMPORAL_ADDRESS]).toEqual(['esdb://eventstore:2113?tls=false', 'temporal:7233'])
    }
  })

  for (const [level, { services, volumes, networks }] of Object.entries(LEVELS))
    for (const [name, each] of Object.entries(services))
      it(`runs ${name} (${level}) in a pinned version, unprivileged, with limits and a health check`, () => {
        const ownImage = /^(?:\$\{KINORA_IMAGE:-kinora:local\}|kinora-(?:entry|media):local)$/
        expect(each.image, 'a pinned version').toMatch(
          each.build || name === 'bucket' ? ownImage : /^[\w./-]+:v?\d+\.\d+[\w.-]*$/,
        )
        expect(each.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
        expect(each.privileged).toBe(undefined)
        expect(each.cap_drop).toEqual(['ALL'])
        expect(each.security_opt).toEqual(['no-new-privileges:true'])
        const { cpus = '', memory = '' } = each.deploy?.resources?.limits ?? {}
        expect(Number(substituted(cpus))).toBeGreaterThan(0)
        expect(substituted(memory)).toMatch(/^\d+[mg]$/)
        // A one-off job needs no health check.
        const isJob = /^(?:no|on-failure)/.test(each.restart ?? '')
        if (!isJob) expect((each.healthcheck as { test: string[] }).test.length).toBeGreaterThan(1)
        for (const volume of (each.volumes ?? []).filter((volume) => typeof volume === 'string'))
          expect(volume.startsWith('.') || volume.split(':')[0]! in volumes, volume).toBe(true)
        const attached = Array.isArray(each.networks) ? each.networks : Object.keys(each.networks ?? {})
        expect(attached.length).toBeGreaterThan(0)
        expect(attached.filter((network) => !(network in networks))).toEqual([])
      })

  it.each(ours)('passes exactly the known variables to %s %s', (level, name) => {
    expect(Object.keys(LEVELS[level].services[name]?.environment ?? {}).toSorted()).toEqual(VARIABLES.toSorted())
  })

  it('starts the small level without keys in development mode, with everything in PostgreSQL', () => {
    expect(readConfig(environmentOf(LEVELS.small.services.kinora!))).toMatchObject({
      production: false,
      roles: ['api', 'projections', 'workflows'],
      http: { publicUrl: 'http://localhost:8080', trustedProxies: 1, healthPort: 9000 },
      database: { url: 'postgres://kinora:kinora@database:5432/kinora' },
      eventStore: undefined,
      temporal: undefined,
      mail: undefined,
      storage: undefined,
    })
  })

  it('starts the small level in production with two lines: a domain and a video engine', () => {
    const env = { SITE_ADDRESS: 'videos.kinora.dev', VIDEOS_API_URL: 'http://gpu:8000' }
    const given = environmentOf(readLevel('small', true).services.kinora!, env)
    const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-two-lines-'))
    expect(readConfig({ ...given, DATA_DIR })).toMatchObject({
      production: true,
      http: { publicUrl: 'https://videos.kinora.dev' },
      payments: { tills: [] },
    })
    rmSync(DATA_DIR, { recursive: true })
  })

  it.each(OURS.full)(
    'starts %s of the full level without keys, with EventStoreDB, Temporal, a bucket and mail',
    (name) => {
      expect(readConfig(environmentOf(LEVELS.full.services[name]!))).toMatchObject({
        production: false,
        mail: { url: 'smtp://mail:1025?ignoreTLS=true' },
        storage: { endpoint: 'http://media:8333', bucket: 'kinora' },
        eventStore: { url: 'esdb://eventstore:2113?tls=false' },
        temporal: { address: 'temporal:7233', namespace: 'kinora' },
      })
    },
  )

  it.each([
    ['EVENTSTORE_CA', 0],
    ['CA_FILE', 1],
    ['AUDIT_KEY_FILE', 2],
    ['C2PA_CERTIFICATE_FILE', 3],
    ['C2PA_KEY_FILE', 4],
    ['OIDC_LOGO', 5],
  ])('mounts the file that %s names, read-only, and tells each process where it is', (variable, index) => {
    for (const [level, name] of ours) {
      const { environment, volumes = [] } = LEVELS[level].services[name]!
      const mount = volumes[index] as Bind
      expect([mount.read_only, mount.bind]).toEqual([true, { create_host_path: false }])
      for (const file of ['', '/etc/kinora/file.pem']) {
        const env = { [variable]: file }
        expect(substituted(mount.source, env)).toBe(file || '/dev/null')
        expect(substituted(environment![variable]!, env)).toBe(file && mount.target)
      }
    }
  })

  it('refuses production with the development secrets of the full level', () => {
    const given = environmentOf(LEVELS.full.services.api!)
    expect(() => readConfig({ ...given, NODE_ENV: 'production' })).toThrow(
      /SESSION_SECRET: the value in docker-compose.yml[\s\S]*OPERATOR_PASSWORD: the[\s\S]*ENCRYPTION_KEY: the/,
    )
  })
})

describe('the image', () => {
  const lines = textOf('Dockerfile').split('\n')

  it('is built with the Node version of package.json, names its version, and runs unprivileged', () => {
    const { dependencies, version } = JSON.parse(textOf('package.json')) as {
      dependencies: { node: string }
      version: string
    }
    const from = lines.filter((line) => line.startsWith('FROM '))
    const base = `FROM node:${dependencies.node}-bookworm-slim`
    expect(from).toEqual([`${base} AS system`, `${base} AS app`, 'FROM scratch'])
    expect(lines).toContain('USER 1000:1000')
    expect(lines.findIndex((line) => line.startsWith('USER'))).toBeGreaterThan(lines.indexOf('FROM scratch'))
    expect(textOf('Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`)
  })

  it('gives freed memory back, as `npm start` does', () => {
    const settings = Object.entries(RETURN_MEMORY).map((setting) => setting.join('='))
    expect(lines.find((line) => line.startsWith('ENV '))?.split(' ')).toEqual(expect.arrayContaining(settings))
  })

  it('downloads no builder, and installs exactly the packages of the lock', () => {
    expect(textOf('Dockerfile')).not.toContain('syntax=')
    expect(lines).toContain('RUN npm ci --omit=dev')
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
        '!docs/*.md',
        '!docs/bench/*.svg',
        '!docs/operations/*.md',
        '!package-lock.json',
        '!package.json',
        '!projections',
        '!renderer',
        '!scripts',
        '!site',
        '!tsconfig.json',
        '!workflows',
      ].toSorted(),
    )
  })

  it('contains the pictures of the pages, without which the site cannot be built', () => {
    const pages = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
    const pictures = pages.flatMap((name) => [...textOf(`docs/${name}`).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)])
    const included = textOf('.dockerignore').split('\n')
    const missing = pictures
      .map(([, file]) => `!docs/${path.dirname(file!)}/*${path.extname(file!)}`)
      .filter((rule) => !included.includes(rule))
    expect(pictures.length).toBeGreaterThan(0)
    expect(missing).toEqual([])
  })
})

describe('.env.example', () => {
  it('documents exactly the known variables', () => {
    const named = [...textOf('.env.example').matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!)
    expect(named.toSorted()).toEqual(VARIABLES.toSorted())
    expect(new Set(named).size).toBe(named.length)
  })
})

it('the entry lets the pictures of all endpoints pass', () => {
  const paths = [uploadImage, startImage].map(({ path }) => API_BASE + path)
  const exempt = [...textOf('docs/operations/Caddyfile').matchAll(/@(upload|call not) path (.*)/g)]
  expect(exempt.map(([, , listed]) => listed)).toEqual([paths.join(' '), paths.join(' ')])
})
