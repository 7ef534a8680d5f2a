import { readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const readJson = (file) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'))

const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Converts an integrity value such as `sha512-<base64>` to CycloneDX. */
function hashOf(integrity) {
  const [algorithm, content] = integrity.split('-', 2)
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(content, 'base64').toString('hex') }
}

function componentOf([at, { version, integrity, license, optional, devOptional }]) {
  const name = at.split('node_modules/').at(-1)
  return {
    type: 'library',
    'bom-ref': at,
    name,
    version,
    purl: purlOf(name, version),
    scope: optional || devOptional ? 'optional' : 'required',
    ...(integrity ? { hashes: [hashOf(integrity)] } : {}),
    ...(license ? { licenses: [{ expression: license }] } : {}),
  }
}

/**
 * Lists the packages that the product ships, in CycloneDX 1.5, from the lockfile. `npm sbom --omit dev` of npm 11 leaves
 * out packages that have no dependencies of their own.
 */
export function sbom({ packages } = readJson('package-lock.json')) {
  const { name, version, license } = readJson('package.json')
  const shipped = Object.entries(packages).filter(
    ([at, { dev, link }]) => at.startsWith('node_modules/') && !dev && !link,
  )
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version, licenses: [{ license: { id: license } }] } },
    components: shipped.map(componentOf),
  }
}

if (import.meta.main) console.log(JSON.stringify(sbom(), null, 2))
