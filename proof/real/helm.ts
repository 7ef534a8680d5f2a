import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#backend/testing/freePort.ts'
import { goProgram, goProgramAside, goVersion } from './goProgram.ts'
import { type Part, type PartContext, Skipped } from './part.ts'
import { makeCertificate, startServer } from './server.ts'

const CHART = path.resolve(import.meta.dirname, '../../docs/operations/helm')
const HELM = 'helm.sh/helm/v3'
const VALIDATE = 'sigs.k8s.io/kubectl-validate'
/** Releases of Kubernetes whose schemas kubectl-validate contains: the oldest that the chart allows, and the newest. */
const RELEASES = ['1.25', '1.30']
/** Values of installations: the least, and everything. */
const LAYOUTS = [
  [],
  [
    ...['backup.enabled=true', 'api.dataClaim=data', 'workflows.dataClaim=data'],
    ...['files={CA_FILE,EVENTSTORE_CA}', 'imagePullSecrets[0].name=pull'],
  ],
  ['ingress.enabled=false', 'projections.replicas=2', 'settings.TEMPORAL_ADDRESS=temporal:7233'],
]

/** The chart: linted, rendered, its objects validated against Kubernetes' own schemas, and accepted by a Kubernetes API server. */
export const HELM_PARTS: readonly Part[] = [
  { name: 'helm', run: tryChart },
  { name: 'kube-apiserver, for helm', run: tryInstall },
]

async function tryChart({ cache, folder }: PartContext): Promise<string> {
  const helm = goProgram(cache, HELM, '/cmd/helm')
  const validate = goProgram(cache, VALIDATE)
  execFileSync(helm, ['lint', '--strict', CHART], { stdio: ['ignore', 'ignore', 'pipe'] })
  const file = path.join(folder, 'objects.yaml')
  const faultsOf = (release: string) => spawnSync(validate, [file, '--version', release], { encoding: 'utf8' })
  for (const release of RELEASES)
    for (const values of LAYOUTS) {
      const sets = values.flatMap((value) => ['--set', value])
      const objects = execFileSync(helm, ['template', 'kinora', CHART, '--kube-version', `${release}.0`, ...sets])
      writeFileSync(file, objects)
      const { status, stdout, stderr } = faultsOf(release)
      assert.equal(status, 0, `${release} with ${values}: ${stdout}${stderr}`)
    }
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('readinessProbe', 'readynessProbe'))
  assert.equal(faultsOf(RELEASES.at(-1)!).status, 1, 'a misspelt field is refused')
  return `${goVersion(helm, HELM)}, Kubernetes ${RELEASES.join(' and ')} by kubectl-validate ${goVersion(validate, VALIDATE)}`
}

const KUBERNETES = 'k8s.io/kubernetes'
const NUMBER = 'k8s.io/component-base/version.gitVersion'
const TOKEN = 'token-of-a-test'

/** Installs the chart in an API server without nodes: it checks and stores the objects, and no pod runs. */
async function tryInstall({ cache, folder, full }: PartContext): Promise<string> {
  const isBuilt = existsSync(path.join(cache, 'kube-apiserver'))
  if (!isBuilt && !full) throw new Skipped('building it takes half an hour; --full does')
  const helm = goProgram(cache, HELM, '/cmd/helm')
  const etcd = goProgramAside(cache, 'go.etcd.io/etcd/server/v3', '')
  const server = goProgramAside(cache, KUBERNETES, 'cmd/kube-apiserver', (version) => [
    '-ldflags',
    `-X ${NUMBER}=${version}`,
  ])
  const [store, peers, port] = [await freePort(), await freePort(), await freePort()]
  const address = (at: number) => `http://127.0.0.1:${at}`
  const urls = ['--listen-client-urls', address(store), '--advertise-client-urls', address(store)]
  const place = ['--data-dir', path.join(folder, 'etcd'), ...urls, '--listen-peer-urls', address(peers)]
  await using _ = await startServer([etcd, ...place], store)
  const { key } = makeCertificate(folder)
  const tokens = path.join(folder, 'tokens.csv')
  writeFileSync(tokens, `${TOKEN},admin,admin,system:masters\n`)
  const accounts = [`--service-account-key-file=${key}`, `--service-account-signing-key-file=${key}`]
  await using __ = await startServer(
    [
      ...[server, `--etcd-servers=${address(store)}`, '--bind-address=127.0.0.1', `--secure-port=${port}`],
      ...[
        `--cert-dir=${path.join(folder, 'certificates')}`,
        `--token-auth-file=${tokens}`,
        '--authorization-mode=RBAC',
      ],
      ...['--service-account-issuer=https://kinora.test', ...accounts, '--service-cluster-ip-range=10.0.0.0/24'],
    ],
    port,
  )
  const cluster = [
    '--kube-apiserver',
    `https://localhost:${port}`,
    '--kube-token',
    TOKEN,
    '--kube-insecure-skip-tls-verify',
  ]
  const sets = ['--set', 'backup.enabled=true,workflows.dataClaim=data']
  const install = () => spawnSync(helm, ['install', 'kinora', CHART, ...cluster, ...sets], { encoding: 'utf8' })
  // Its first seconds are without namespaces.
  let answer = install()
  for (let left = 30; answer.status !== 0 && left > 0; left--) {
    await delay(1_000)
    answer = install()
  }
  assert.match(answer.stdout, /^STATUS: deployed$/m, answer.stderr)
  return goVersion(server, KUBERNETES)
}
