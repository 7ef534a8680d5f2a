import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { isAlive } from '../isAlive.ts'
import { prepareLauncher, runProgram } from './runProgram.ts'

/** Runs a shell script. Returns how it ended, with its output. */
async function runScript(script: string, { onOutput, ...options }: Parameters<typeof runProgram>[1] = {}) {
  const output: Uint8Array[] = []
  const order = { program: '/bin/sh', args: ['-c', script], env: {}, limits: { cpuSeconds: 5 }, timeoutMs: 10_000 }
  const ended = await runProgram(order, { ...options, onOutput: onOutput ?? ((piece) => output.push(piece)) })
  return { ...ended, output: Buffer.concat(output) }
}

const readLauncher = async () => Number((await runScript('echo $PPID')).output)

describe('running a program', () => {
  it('does not copy this process', async () => {
    expect(await readLauncher()).not.toBe(process.pid)
  })

  it('uses a launcher that was started early', async () => {
    const before = await readLauncher()
    process.kill(before, 'SIGKILL')
    await expect.poll(() => isAlive(before)).toBe(false)
    // No launcher is started before the exit of the former one has been noticed.
    await eventually(async () => {
      prepareLauncher()
      const children = execFileSync('pgrep', ['-P', String(process.pid)], { encoding: 'utf8' }).split('\n')
      expect(children).toContain(String(await readLauncher()))
    })
  })

  it('passes input and output on unchanged', async () => {
    const input = randomBytes(5_000_000)
    const { code, output } = await runScript('cat', { input })
    expect([code, output.equals(input)]).toEqual([0, true])
  })

  it('reports the code, the signal and the end of the errors', async () => {
    expect(await runScript('echo wrong >&2; exit 3')).toMatchObject({ code: 3, killedBy: null, errors: 'wrong' })
    expect(await runScript('kill -9 $$')).toMatchObject({ code: null, killedBy: 'SIGKILL' })
  })

  it('ignores a program that exits before it has read its input', async () => {
    expect(await runScript('exit 0', { input: randomBytes(5_000_000) })).toMatchObject({ code: 0 })
  })

  it('kills the program when aborted, and rejects with the reason', async () => {
    const caller = new AbortController()
    const onOutput = () => caller.abort(new Error('gone'))
    await expect(runScript('echo; exec sleep 60', { signal: caller.signal, onOutput })).rejects.toThrow('gone')
  })

  // Other systems do not tell what a process has used.
  it.skipIf(process.platform !== 'linux')('kills a program that makes no progress, and says so', async () => {
    const stuck = { program: '/bin/sleep', args: ['60'], env: {}, timeoutMs: 60_000 }
    const ended = await runProgram({ ...stuck, limits: { cpuSeconds: 5, idleSeconds: 0.3 } })
    expect(ended).toEqual({ code: null, killedBy: 'SIGKILL', errors: 'made no progress for 0.3 s' })
  })

  it('rejects when its launcher ends, and starts another', async () => {
    const first = await readLauncher()
    const onOutput = () => void process.kill(first, 'SIGKILL')
    const interrupted = runScript('echo; exec sleep 60', { onOutput })
    await expect(interrupted).rejects.toThrow('launcher of programs ended: SIGKILL')
    expect(await readLauncher()).not.toBe(first)
  })

  it('kills its programs when this process is killed', async () => {
    const module = JSON.stringify(path.join(import.meta.dirname, 'runProgram.ts'))
    const order = `{ program: '/bin/sh', args: ['-c', 'echo $$; exec sleep 60'], env: {}, limits: { cpuSeconds: 5 }, timeoutMs: 60_000 }`
    const script = `import { runProgram } from ${module}; await runProgram(${order}, { onOutput: (piece) => process.stdout.write(piece) })`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(printed)
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
