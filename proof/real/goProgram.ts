import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Skipped } from './part.ts'

/** Installs a program of the Go module proxy, once. Returns its file. @throws Skipped */
export function goProgram(cache: string, module: string, inner = '', version = 'latest'): string {
  const program = path.join(cache, path.basename(module + inner))
  if (existsSync(program)) return program
  const env = { ...process.env, GOBIN: cache }
  asSkipped(() =>
    execFileSync('go', ['install', `${module}${inner}@${version}`], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  return program
}

/**
 * Builds a program of a module that replaces others, which `go install` refuses. Returns its file. @throws Skipped
 * @param embedded file that the program embeds, and the module lacks
 */
export function goProgramOfCopy(
  cache: string,
  module: string,
  version: string,
  inner: string,
  embedded: string,
): string {
  const name = `${path.basename(inner)}-${version}`
  const program = path.join(cache, name)
  if (existsSync(program)) return program
  asSkipped(() => {
    const options = { cwd: cache, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 28 } as const
    const found = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], options)
    const copy = path.join(cache, `${name}-sources`)
    execFileSync('cp', ['-r', (JSON.parse(found) as { Dir: string }).Dir, copy])
    execFileSync('chmod', ['-R', 'u+w', copy])
    mkdirSync(path.join(copy, path.dirname(embedded)), { recursive: true })
    writeFileSync(path.join(copy, embedded), '')
    execFileSync('go', ['build', '-o', program, `.${inner}`], { ...options, cwd: copy })
  })
  return program
}

/**
 * Builds the program of a module that replaces others by folders beside it, in a module of its own that takes these from the proxy. Kubernetes publishes
 * its parts under the same numbers with a leading 0.
 * @param flags of the build, by the version of the module. @throws Skipped
 */
export function goProgramAside(
  cache: string,
  module: string,
  inner: string,
  flags: (version: string) => readonly string[] = () => [],
): string {
  const name = path.basename(inner || module.replace('/server/v3', ''))
  const program = path.join(cache, name)
  if (existsSync(program)) return program
  asSkipped(() => {
    const folder = path.join(cache, `${name}-module`)
    mkdirSync(folder, { recursive: true })
    const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 28 } as const
    const found = execFileSync('go', ['mod', 'download', '-json', `${module}@latest`], options)
    const { Version: version, GoMod: manifest } = JSON.parse(found) as { Version: string; GoMod: string }
    const parts = readFileSync(manifest, 'utf8').matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging/gm)
    const published = [...parts].map(([, part]) => `replace ${part} => ${part} ${version.replace('v1', 'v0')}`)
    const go = execFileSync('go', ['env', 'GOVERSION'], options).trim().replace('go', 'go ')
    const lines = [`module kinora.test/${name}`, go, `require ${module} ${version}`, ...published]
    writeFileSync(path.join(folder, 'go.mod'), `${lines.join('\n')}\n`)
    execFileSync('go', ['build', '-mod=mod', ...flags(version), '-o', program, path.join(module, inner)], options)
  })
  return program
}

/** Returns the version of a module in a program. */
export function goVersion(program: string, module: string): string {
  const built = execFileSync('go', ['version', '-m', program], { encoding: 'utf8' })
  return new RegExp(`\\t${module}\\tv(\\S+)`).exec(built)?.[1] ?? ''
}

/** Runs a build. @throws Skipped it fails */
export function asSkipped<T>(build: () => T): T {
  try {
    return build()
  } catch (error) {
    throw new Skipped(`Go cannot build it: ${(error as Error).message.trim().split('\n').at(-1)}`)
  }
}
