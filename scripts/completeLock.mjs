import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './run.mjs'

const LOCK = path.join(ROOT, 'package-lock.json')
const PLATFORM =
  /-(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|ia32|ppc64|riscv64|s390x|x64)(?:-(?:(gnu|musl)\w*|\w+))?$/
const LIBC = { gnu: 'glibc', musl: 'musl' }

/**
 * Lists the optional dependencies that have no entry of their own, as `{ owner, name, version }`. npm writes only the
 * packages that its registry has, and `npm ci` refuses such a lock.
 */
export function missingPackages({ packages }) {
  const isListed = (owner, name) => packages[`${owner}/node_modules/${name}`] || packages[`node_modules/${name}`]
  return Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => !isListed(owner, name) && /^\d/.test(version))
      .map(([name, version]) => ({ owner, name, version })),
  )
}

/** Returns the platform that a package is for, by its name, as fields of a lock entry. */
export function platformOf(name) {
  const [, os, cpu, abi] = PLATFORM.exec(name) ?? []
  if (!os) throw new Error(`${name} is missing in the lock, and its name does not tell its platform`)
  return { cpu: [cpu], ...(os === 'linux' && abi && { libc: [LIBC[abi]] }), os: [os] }
}

/** Returns the lock with an entry for each missing package. It has no hash: `npm install` adds it where the package is available. */
export function completed(lock) {
  const packages = { ...lock.packages }
  for (const { owner, name, version } of missingPackages(lock)) {
    const { dev, license } = lock.packages[owner]
    packages[`node_modules/${name}`] = { version, ...platformOf(name), ...(dev && { dev }), license, optional: true }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
  return { ...lock, packages: Object.fromEntries(sorted) }
}

if (process.argv[1] === import.meta.filename) {
  const lock = JSON.parse(readFileSync(LOCK, 'utf8'))
  const missing = missingPackages(lock)
  writeFileSync(LOCK, `${JSON.stringify(completed(lock), null, 2)}\n`)
  for (const { name, version } of missing) console.log(`added ${name} ${version}`)
}
