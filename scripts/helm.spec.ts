import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROLES, VARIABLES } from '#backend/app/config/environment.ts'
import { ROOT, readLevel } from './composeLevel.ts'

const CHART = path.join(ROOT, 'docs/operations/helm')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const templates = Object.fromEntries(
  readdirSync(path.join(CHART, 'templates')).map((file) => [file, read(`docs/operations/helm/templates/${file}`)]),
)
const all = Object.values(templates).join('\n')
interface RoleValues {
  readonly dataClaim?: string
}
const values = parse(read('docs/operations/helm/values.yaml')) as {
  readonly api: RoleValues
  readonly workflows: RoleValues
  readonly settings: object
  readonly secrets: readonly string[]
  readonly files: readonly string[]
  readonly ingress: { readonly annotations: Readonly<Record<string, string>> }
}
const chart = parse(read('docs/operations/helm/Chart.yaml')) as {
  readonly version: string
  readonly appVersion: string
}
const { services } = readLevel('full')
const [, command] = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))!
/** Returns the names of variables that templates set by themselves. */
const variablesIn = (text: string) => [...text.matchAll(/^ *- name: ([A-Z][A-Z_0-9]*)$/gm)].map(([, name]) => name!)

describe('the Helm chart', () => {
  it('sets only variables that Kinora reads', () => {
    const set = variablesIn(all).filter((name) => name !== 'POD_NAME')
    expect(set).toContain('HEALTH_PORT')
    const shown = [...read('docs/operations/helm/values.yaml').matchAll(/^# {2}([A-Z_0-9]+):/gm)].map(
      ([, name]) => name!,
    )
    const named = [...set, ...shown, ...Object.keys(values.settings), ...values.secrets, ...values.files]
    expect(named.filter((name) => !VARIABLES.includes(name))).toEqual([])
    expect(variablesIn('  - name: HEALTH_PROT').filter((name) => !VARIABLES.includes(name))).toHaveLength(1)
  })

  it('runs a Deployment for each role', () => {
    const [, roles] = /range \$role := list (.*?) }}/.exec(templates['deployments.yaml']!)!
    expect(JSON.parse(`[${roles!.replaceAll(' ', ',')}]`)).toEqual(ROLES)
    expect(Object.keys(values)).toEqual(expect.arrayContaining([...ROLES]))
  })

  it('offers a claim to the roles that read models, templates and graphs of DATA_DIR', () => {
    expect([values.api.dataClaim, values.workflows.dataClaim]).toEqual(['', ''])
  })

  it('starts the image as the Dockerfile does, and its commands as Compose does', () => {
    expect(JSON.parse(command!)).toEqual(['node', 'scripts/server/supervise.mjs', 'dist/main.js'])
    expect(templates['deployments.yaml']).not.toMatch(/^ *(command|args):/m)
    expect(templates['backup.yaml']).toContain(`command: [${services.ops!.entrypoint!.join(', ')}]`)
    expect(read('Dockerfile')).toContain('USER 1000:1000')
    expect(all).toContain('runAsUser: 1000')
  })

  it('has the ports of the image and of Compose', () => {
    const { PORT, HEALTH_PORT } = services.api!.environment!
    expect(read('Dockerfile')).toContain(`EXPOSE ${PORT}`)
    for (const port of [PORT, HEALTH_PORT]) {
      expect(all).toContain(`containerPort: ${port}`)
      expect(all).toContain(`value: "${port}"`)
    }
  })

  it('has the version of the product', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect([chart.version, chart.appVersion]).toEqual([version, version])
  })

  it('lets pictures, sockets and long requests pass as the sample of nginx does', () => {
    const nginx = read('docs/operations/proxies/nginx.conf')
    const annotation = (name: string) => values.ingress.annotations[`nginx.ingress.kubernetes.io/${name}`]
    expect(nginx).toContain(`client_max_body_size ${annotation('proxy-body-size')};`)
    expect(nginx).toContain(`proxy_read_timeout ${annotation('proxy-read-timeout')}s;`)
    expect(nginx).toContain(`proxy_send_timeout ${annotation('proxy-send-timeout')}s;`)
    expect(nginx).toContain(`proxy_request_buffering ${annotation('proxy-request-buffering')};`)
  })
})
