import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { AwsClient } from 'aws4fetch'
import { recordAnswers } from '#backend/providers/storage/testing/recordedObjects.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { compare } from './engines.ts'
import { goProgram, goVersion } from './goProgram.ts'
import { readRange, startKinora, walkJourney } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { preparePython } from './python.ts'
import { startServer } from './server.ts'

const VERSITYGW = 'github.com/versity/versitygw'
const MOTO = '5.2.5'
const ACCOUNT = { accessKeyId: 'kinora', secretAccessKey: 'a-secret-of-a-test' }
const BUCKET = 'films'
const RECORDING = path.resolve(import.meta.dirname, '../../backend/providers/storage/testing/recordings/versitygw.json')

interface Prepared {
  readonly version: string
  readonly command: (port: number) => readonly string[]
}

/** Servers of S3 that keep the films. */
export const BUCKET_PARTS: readonly Part[] = [
  { name: 'versitygw', run: (context) => tryBucket(prepareVersitygw(context), context) },
  { name: 'moto', run: async (context) => tryBucket(await prepareMoto(context), context) },
]

function prepareVersitygw({ cache, folder }: PartContext): Prepared {
  const program = goProgram(cache, VERSITYGW, '/cmd/versitygw')
  const files = path.join(folder, 'objects')
  mkdirSync(files)
  const account = ['--access', ACCOUNT.accessKeyId, '--secret', ACCOUNT.secretAccessKey]
  return {
    version: goVersion(program, VERSITYGW),
    command: (port) => [program, '--port', `127.0.0.1:${port}`, ...account, 'posix', files],
  }
}

async function prepareMoto({ cache }: PartContext): Promise<Prepared> {
  const { python } = await preparePython(cache, [`moto[server]==${MOTO}`], [])
  return {
    version: MOTO,
    command: (port) => [python, '-m', 'moto.server', '--host', '127.0.0.1', '--port', String(port)],
  }
}

/** Makes a film, reads it after a restart, and deletes it. */
async function tryBucket({ version, command }: Prepared, { folder, record }: PartContext): Promise<string> {
  const port = await freePort()
  await using _ = await startServer(command(port), port)
  const endpoint = `http://127.0.0.1:${port}`
  const access = { ...ACCOUNT, endpoint, bucket: BUCKET, region: 'us-east-1' }
  const client = new AwsClient({ ...ACCOUNT, service: 's3', region: 'us-east-1' })
  const call = (pathname: string, method?: string) => client.fetch(`${endpoint}/${BUCKET}${pathname}`, { method })
  assert.equal((await call('', 'PUT')).status, 200, 'creating the bucket')
  // Moto verifies no signature.
  if (version !== MOTO) compare(RECORDING, version, await recordAnswers(access), record)
  const keysOf = async (id: string) => (await (await call('?list-type=2')).text()).split(id).length - 1
  const env = {
    DATA_DIR: path.join(folder, 'data'),
    S3_ENDPOINT: endpoint,
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY_ID: ACCOUNT.accessKeyId,
    S3_SECRET_ACCESS_KEY: ACCOUNT.secretAccessKey,
  }
  const first = await startKinora(env)
  const { user, id } = await walkJourney(first)
  await first.stop()
  assert.ok((await keysOf(id)) > 0, 'the film is in the bucket')
  await using kinora = await startKinora({ ...env, PORT: new URL(first.url).port })
  assert.equal(kinora.url, first.url)
  await readRange(user, id)
  assert.equal((await user.call('DELETE', `/videos/tasks/${id}`)).status, 204)
  while ((await keysOf(id)) > 0);
  return version
}
