import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { Skipped } from './part.ts'

/** Installs a program of the Go module proxy, once. Returns its file. @throws Skipped */
export function goProgram(cache: string, module: string, inner = ''): string {
  const program = path.join(cache, path.basename(module + inner))
  if (existsSync(program)) return program
  const env = { ...process.env, GOBIN: cache }
  asSkipped(() =>
    execFileSync('go', ['install', `${module}${inner}@latest`], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
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
