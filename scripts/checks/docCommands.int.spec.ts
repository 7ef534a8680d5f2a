import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { startProgram } from '#backend/testing/program.ts'
import { registerUser } from '#backend/testing/testUser.ts'
import { commandsOf, NOT_RUN, PAGES, whyNotRun } from './docCommands.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const commands = commandsOf(PAGES)
const run = commands.filter((command) => !whyNotRun(command))
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
/** Replace data that a running process uses. A new key comes last: it would have to be set for all others. */
const STOPPED = [/rebuild-read-models/, /rotate-key/]
const needsStop = (command: string) => STOPPED.some((form) => form.test(command))
const ADDRESS = 'ada@example.com'

describe('the commands of the docs', () => {
  it('exist, in package.json and among those of the ops service', () => {
    expect(commands.length).toBeGreaterThan(30)
    const known = ['CONFORMANCE_KEY=kin_…', 'npm', 'docker', 'node', 'python3', 'psql', 'sh']
    expect(commands.filter((command) => !known.includes(command.split(' ')[0]!))).toEqual([])
    const named = commands.flatMap((command) => /^npm run (?:-s )?([\w:-]+)/.exec(command)?.[1] ?? [])
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    const ops = commands.flatMap((command) => /--rm ops ([\w-]+)/.exec(command)?.[1] ?? [])
    expect(ops.length).toBeGreaterThan(2)
    const isProgram = (name: string) => scripts[name]?.startsWith('exec node scripts/program.mjs backend/programs ')
    expect(ops.filter((name) => !isProgram(name))).toEqual([])
  })

  it('are run by `npm run test:full`, or left out for a reason that still applies', () => {
    expect(run.length).toBeGreaterThan(10)
    expect(NOT_RUN.filter(([form]) => !commands.some((command) => form.test(command)))).toEqual([])
  })

  it.skipIf(!FULL)('work on an installation in a clone', { timeout: 15 * 60_000 }, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-commands-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
    const DATA_DIR = path.join(folder, 'data')
    // As an operator who keeps the key apart from the backups.
    const ENCRYPTION_KEY = '0123456789abcdef'.repeat(4)
    const settings = { DATA_DIR, ENCRYPTION_KEY, NODE_ENV: 'development' }
    const program = await startProgram({ ...settings, PORT: '0' })
    onTestFinished(() => program.kill())
    await registerUser(program.url, ADDRESS)
    mkdirSync(path.join(folder, 'evidence'))
    writeFileSync(path.join(folder, 'evidence/erasures.txt'), '')

    /** Moves what a command reads and writes into the folder, and runs those of the ops service as it does. */
    const here = (command: string) =>
      command
        .replace('docker compose run --rm ops', 'node scripts/ops.mjs')
        .replace(/(?<=\s)(?:\/srv|\.data)\/|(?<=\s)\/(?=backups\/)/g, `${folder}/`)
        .replace(/(?<=--out )(?=[a-z])/, `${folder}/`)
    const execute = (command: string) => {
      const text = here(command)
      for (const [, made] of text.matchAll(/--(?:out|into) (\S+)/g)) rmSync(made!, { recursive: true, force: true })
      const env = {
        ...process.env,
        ...settings,
        PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', text], { cwd: ROOT, env, encoding: 'utf8', input: '' })
      return [command, status, status === 0 ? '' : stdout + stderr]
    }
    for (const command of run.filter((each) => !needsStop(each))) expect(execute(command)).toEqual([command, 0, ''])
    await program.stop()
    for (const command of STOPPED.flatMap((form) => run.filter((each) => form.test(each))))
      expect(execute(command)).toEqual([command, 0, ''])
  })
})
