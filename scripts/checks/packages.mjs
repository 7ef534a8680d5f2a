import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../run.mjs'

const readJson = (...names) => JSON.parse(readFileSync(path.join(ROOT, ...names), 'utf8'))

/**
 * Compares the licences and install scripts of all installed packages with `packages.json`, so that a new licence or a
 * new script is a decision. Returns the faults, also for entries that no package needs any more.
 */
export function packageFaults(
  lock = readJson('package-lock.json'),
  allowed = readJson('scripts/checks/packages.json'),
) {
  const packages = Object.entries(lock.packages).filter(
    ([folder, { link }]) => folder.startsWith('node_modules/') && !link,
  )
  const nameOf = (folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const licences = new Set()
  const scripts = new Set()
  const faults = []
  for (const [folder, { license, hasInstallScript }] of packages) {
    const name = nameOf(folder)
    const licence = license ?? allowed.unstated[name]
    licences.add(licence)
    if (!licence) faults.push(`${name} states no licence: look it up and add it to "unstated"`)
    else if (!allowed.licences.includes(licence))
      faults.push(`${name} has the licence ${licence}, which is not allowed`)
    if (!hasInstallScript) continue
    scripts.add(name)
    if (!(name in allowed.installScripts))
      faults.push(`${name} runs a script when it is installed, which is not allowed`)
  }
  for (const licence of allowed.licences)
    if (!licences.has(licence)) faults.push(`no package has the licence ${licence}`)
  for (const name of Object.keys(allowed.installScripts))
    if (!scripts.has(name)) faults.push(`${name} has no install script any more`)
  return faults
}
