import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Skipped } from './part.ts'

/** Where Debian and others put Chromium. */
export const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome']

/** Returns the first file that exists. @throws Skipped with the packages of Debian that have it */
export function installed(packages: string, ...files: readonly string[]): string {
  const file = files.find((each) => existsSync(each))
  if (!file) throw new Skipped(`it is not installed (Debian: ${packages})`)
  return file
}

/** Starts a server and waits until its port answers. `await using` stops it. */
export async function startServer(
  command: readonly string[],
  port: number,
  options: { readonly env?: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number } = {},
): Promise<AsyncDisposable> {
  const [program, ...args] = command
  const child = spawn(program!, args, { cwd: '/', ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  child.stderr.on('data', (text) => said.push(String(text)))
  while (!(await isOpen(port))) {
    if (hasEnded(child))
      throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}: ${said.join('')}`)
    await delay(100)
  }
  return {
    async [Symbol.asyncDispose]() {
      await stop(child, 'SIGINT')
    },
  }
}

/** Whether a program runs no more. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** Ends a program, if it still runs. */
export async function stop(child: ChildProcess, signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<void> {
  if (hasEnded(child)) return
  child.kill(signal)
  await once(child, 'exit')
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const opened = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return opened
}

/** Creates a self-signed certificate for localhost, which is its own authority. Returns the files. */
export function makeCertificate(folder: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const usual = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  execFileSync('openssl', [...usual, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { certificate, key }
}
