import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { copyCluster } from './clusterTemplate.ts'

export interface Program {
  readonly url: string
  readonly pid: number
  /** Returns the resident memory of the process in bytes, excluding child processes. */
  residentBytes(): number
  /** Returns what it has printed to its standard error output. */
  errors(): string
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
  /** Interrupts the process like Ctrl-C. Resolves with its exit code. */
  stop(): Promise<number | null>
}

/** Kinora's main module. */
export const MAIN = path.resolve(import.meta.dirname, '../main.ts')

/** Makes a program stop when the process that started it has ended. */
const STOP_WITH_STARTER = path.resolve(import.meta.dirname, '../../scripts/stopWithStarter.mjs')
/** What this worker has loaded, so that both know the same passwords. */
const QUICK_PASSWORDS = process.execArgv.filter((arg) => arg.endsWith('quickPasswords.mjs'))
const IMPORTS = [STOP_WITH_STARTER, ...QUICK_PASSWORDS].flatMap((module) => ['--import', module])

/**
 * Starts Kinora as a process, with a copied database if its data folder is new. Resolves when it prints that it is ready.
 * @param entry a source, which is run from the bundle of the tests if it is in there
 */
export async function startProgram(env: Record<string, string>, entry = MAIN): Promise<Program> {
  if (env.DATA_DIR && !env.DATABASE_URL) await copyCluster(path.join(env.DATA_DIR, 'postgres'))
  const own = { NODE_ENV: 'test', LOG_LEVEL: 'error', KINORA_STARTER: String(process.pid) }
  const child: ChildProcess = spawn(process.execPath, [...IMPORTS, bundled(entry)], {
    env: { ...process.env, ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const errors: string[] = []
  child.stderr?.on('data', (text) => errors.push(String(text)))
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      const address = /ready (\S+)/.exec(String(text))?.[1]
      if (address) resolve(address)
    })
    void gone.then((code) => reject(new Error(`Kinora ended with ${code}: ${errors.join('')}`)))
  })
  const end = (signal: 'SIGKILL' | 'SIGINT') => {
    child.kill(signal)
    return gone
  }
  return {
    url,
    pid: child.pid!,
    residentBytes: () => residentBytes(child.pid!),
    errors: () => errors.join(''),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGINT'),
  }
}

/** Returns the file of a source in the bundle of the tests, if it is in there: it starts with half of the CPU time. */
function bundled(source: string): string {
  const file = path.join(process.env.KINORA_TEST_PROGRAMS ?? '', `${path.basename(source, '.ts')}.js`)
  return source.endsWith('.ts') && path.isAbsolute(file) && existsSync(file) ? file : source
}

function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
  } catch {
    // Not every system has /proc.
    return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  }
}
