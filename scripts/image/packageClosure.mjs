import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const SPECIFIER = /(?:\bfrom|\bimport|\bimport\(|\bresolve\()\s*'((?:@[^'/]+\/)?[^'/]+)/g

/** Returns those of the names that a source text imports, including those of which it uses only types. */
export function packagesIn(source, names) {
  const found = new Set([...source.matchAll(SPECIFIER)].map(([, name]) => name))
  return names.filter((name) => found.has(name))
}

/**
 * Returns the folders of packages and of everything that they need at run time, relative to `root`.
 * @param {(name: string) => boolean} isLeftOut tells the names that are not followed
 * @throws Error a dependency is not installed
 */
export function packageClosure(root, names, isLeftOut = (_) => false) {
  const folders = new Map()
  const follow = (name, from, isOptional) => {
    if (isLeftOut(name)) return
    const folder = findPackage(root, from, name)
    if (!folder && !isOptional) throw new Error(`${name} is not installed`)
    if (!folder || folders.has(folder)) return
    folders.set(folder, name)
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifestOf(root, folder)
    for (const each of Object.keys(dependencies)) follow(each, folder, each in optionalDependencies)
    for (const each of Object.keys({ ...optionalDependencies, ...peerDependencies })) follow(each, folder, true)
  }
  for (const name of names) follow(name, '', false)
  return [...folders.keys()].sort()
}

/** Looks a package up in the folder and then in each parent, as Node.js does. */
function findPackage(root, from, name) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name)
    if (existsSync(path.join(root, candidate, 'package.json'))) return candidate
    if (folder === '' || folder === '.') return undefined
  }
}

const manifestOf = (root, folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
