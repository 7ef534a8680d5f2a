import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../testing/freePort.ts'
import { startS3Double } from './s3Double.ts'

/** A bucket at an S3 server of this machine. */
export interface S3Server {
  readonly kind: string
  /** Name of the bucket. */
  readonly name: string
  /** Settings of an account that may use it. */
  readonly env: Record<string, string>
  close(): Promise<void>
}

/** Starts versitygw on a folder if it is installed, otherwise the double of this project. */
export async function startS3Server(folder: string): Promise<S3Server> {
  if (spawnSync('versitygw', ['--version']).status === 0) return startVersitygw(folder)
  const { access, close } = await startS3Double()
  const { endpoint, region, accessKeyId, secretAccessKey, bucket } = access
  return { kind: 'a double of S3', name: bucket, env: settings(endpoint, region, accessKeyId, secretAccessKey), close }
}

const settings = (endpoint: string, region: string, accessKeyId: string, secretAccessKey: string) => ({
  S3_ENDPOINT: endpoint,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
})

async function startVersitygw(folder: string): Promise<S3Server> {
  const name = 'kinora-copies'
  mkdirSync(path.join(folder, name), { recursive: true })
  const port = await freePort()
  const account = ['--access', 'kinora', '--secret', 'a-secret-of-a-test']
  const server = spawn('versitygw', ['--port', `127.0.0.1:${port}`, ...account, 'posix', folder], { stdio: 'ignore' })
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const endpoint = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await fetch(endpoint).catch(() => undefined)) break
    await delay(100)
  }
  return {
    kind: 'versitygw',
    name,
    env: settings(endpoint, 'us-east-1', 'kinora', 'a-secret-of-a-test'),
    async close() {
      server.kill()
      await exited
    },
  }
}
