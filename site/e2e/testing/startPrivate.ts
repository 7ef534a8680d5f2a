import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { testCertificate } from '#backend/providers/payments/paypal/testing/testCertificate.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { startProgram } from '#backend/testing/program.ts'

/** A name that the browser resolves to this machine: `PUBLIC_URL` must not be a loopback address. */
export const PRIVATE_HOST = 'kinora.test'

const PROGRAMS = path.resolve(import.meta.dirname, '../../../backend/programs')

/**
 * Starts a private installation in production mode behind a proxy that ends TLS. It has two settings: its public address
 * and the address of a video engine.
 * @param prepare writes files of the operator into the data folder
 */
export async function startPrivate(engine: Record<string, string>, prepare?: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-private-'))
  await prepare?.(folder)
  const port = await freePort()
  const proxy = await startTlsProxy(port)
  const url = `https://${PRIVATE_HOST}:${proxy.port}`
  const env = { NODE_ENV: 'production', DATA_DIR: folder, PORT: String(port), PUBLIC_URL: url, ...engine }
  const program = await startProgram({ ...env, LOG_LEVEL: 'error' })
  /** Runs a program of the operator. Returns what it prints. */
  const run = async (name: string, args: readonly string[]): Promise<string> => {
    const command = [path.join(PROGRAMS, `${name}.ts`), ...args]
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: { ...process.env, ...env } })
    return stdout.trim()
  }
  return {
    url,
    /** Returns the link that `npm run invite` prints. */
    invite: (email: string) => run('invite', [email]),
    grant: (email: string, credits: number) =>
      run('adjust', ['--user', email, '--amount', String(credits), '--reason', 'a first video']),
    async close() {
      await program.stop()
      proxy.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Starts a proxy that ends TLS and forwards the bytes. */
async function startTlsProxy(target: number) {
  const { pem: cert, privateKey } = testCertificate(PRIVATE_HOST, { from: 0, to: Date.now() + 86_400_000 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const open = new Set<Socket>()
  const server = createServer({ cert, key }, (near) => {
    const far = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy()).on('close', () => open.delete(one))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
