import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { goProgram, goVersion } from './goProgram.ts'
import type { Part, PartContext } from './part.ts'

const CHART = path.resolve(import.meta.dirname, '../../docs/operations/helm')
const HELM = 'helm.sh/helm/v3'
const VALIDATE = 'sigs.k8s.io/kubectl-validate'
/** Releases of Kubernetes whose schemas kubectl-validate contains: the oldest that the chart allows, and the newest. */
const RELEASES = ['1.25', '1.30']
/** Values of installations: the least, and everything. */
const LAYOUTS = [
  [],
  ['backup.enabled=true', 'workflows.dataClaim=data', 'files={CA_FILE,EVENTSTORE_CA}', 'imagePullSecrets[0].name=pull'],
  ['ingress.enabled=false', 'projections.replicas=2', 'settings.TEMPORAL_ADDRESS=temporal:7233'],
]

/** The chart: linted, rendered, and its objects validated against Kubernetes' own schemas. */
export const HELM_PARTS: readonly Part[] = [{ name: 'helm', run: tryChart }]

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
